import type { ServiceIdentifier } from 'inversify';
import type { AccountAdministrationService } from '../domain/services/account-administration-service.ts';
import type { AccountService } from '../domain/services/account-service.ts';
import type { AuditEntryService } from '../domain/services/audit-entry-service.ts';
import type { PayloadMaker } from '../domain/services/payload-maker.ts';
import type { ReadinessService } from '../domain/services/readiness-service.ts';
import type { RegistryHolder } from '../domain/services/registry-holder.ts';
import type { RegistryLoader } from '../domain/services/registry-loader.ts';
import type { ReloadHistory } from '../domain/services/reload-history.ts';
import type { ReloadService } from '../domain/services/reload-service.ts';
import type { SelfTestService } from '../domain/services/self-test-service.ts';
import type { SignBatchService } from '../domain/services/sign-batch-service.ts';
import type { SignRequestService } from '../domain/services/sign-request-service.ts';
import type { SignatureMaker } from '../domain/services/signature-maker.ts';
import type { SigningPerformance } from '../domain/services/signing-performance.ts';
import type { StatusService } from '../domain/services/status-service.ts';
import type { VerifySignatureService } from '../domain/services/verify-signature-service.ts';
import type { AuditSink } from '../ports/audit-sink.ts';
import type { Clock } from '../ports/clock.ts';
import type { CredentialEditor } from '../ports/credential-editor.ts';
import type { CredentialSource } from '../ports/credential-source.ts';
import type { DataFormatValidator } from '../ports/data-format-validator.ts';
import type { Hasher } from '../ports/hasher.ts';
import type { KeyStore } from '../ports/key-store.ts';
import type { MasterKeyAdministration } from '../ports/master-key-administration.ts';
import type { Metrics } from '../ports/metrics.ts';

import type { RateLimiter } from '../ports/rate-limiter.ts';

import type { ReplayGuard } from '../ports/replay-guard.ts';

import type { ServiceLog } from '../ports/service-log.ts';
import type { SignatureVerifier } from '../ports/signature-verifier.ts';
import type { SignerTable } from '../ports/signer.ts';
import type { TokenAdministration } from '../ports/token-administration.ts';
import type { TypedDataEncoder } from '../ports/typed-data-encoder.ts';
import type { UsageLedger } from '../ports/usage-ledger.ts';
import type { PassphrasePrompt } from '../secure-memory/passphrase-prompt.ts';

function token<Service>(name: string): ServiceIdentifier<Service> {
  return Symbol(name);
}

/** What the container binds: every port, then every domain service. A rate limiter is null where nothing is limited. */
export const TOKENS = {
  AccountRateLimiter: token<RateLimiter | null>('AccountRateLimiter'),
  AuditSink: token<AuditSink>('AuditSink'),
  CallerRateLimiter: token<RateLimiter | null>('CallerRateLimiter'),
  Clock: token<Clock>('Clock'),
  CredentialEditor: token<CredentialEditor>('CredentialEditor'),
  CredentialSource: token<CredentialSource>('CredentialSource'),
  DataFormatValidator: token<DataFormatValidator>('DataFormatValidator'),
  FailureRateLimiter: token<RateLimiter>('FailureRateLimiter'),
  Hasher: token<Hasher>('Hasher'),
  KeyStore: token<KeyStore>('KeyStore'),
  MasterKeyAdministration: token<MasterKeyAdministration>('MasterKeyAdministration'),
  Metrics: token<Metrics>('Metrics'),
  PassphrasePrompt: token<PassphrasePrompt>('PassphrasePrompt'),
  ReplayGuard: token<ReplayGuard>('ReplayGuard'),
  ServiceLog: token<ServiceLog>('ServiceLog'),
  SignatureVerifier: token<SignatureVerifier>('SignatureVerifier'),
  Signers: token<SignerTable>('Signers'),
  TokenAdministration: token<TokenAdministration>('TokenAdministration'),
  TypedDataEncoder: token<TypedDataEncoder>('TypedDataEncoder'),
  UsageLedger: token<UsageLedger>('UsageLedger'),

  AccountAdministrationService: token<AccountAdministrationService>('AccountAdministrationService'),
  AccountService: token<AccountService>('AccountService'),
  AuditEntryService: token<AuditEntryService>('AuditEntryService'),
  PayloadMaker: token<PayloadMaker>('PayloadMaker'),
  ReadinessService: token<ReadinessService>('ReadinessService'),
  RegistryHolder: token<RegistryHolder>('RegistryHolder'),
  RegistryLoader: token<RegistryLoader>('RegistryLoader'),
  ReloadHistory: token<ReloadHistory>('ReloadHistory'),
  ReloadService: token<ReloadService>('ReloadService'),
  SelfTestService: token<SelfTestService>('SelfTestService'),
  SignBatchService: token<SignBatchService>('SignBatchService'),
  SignRequestService: token<SignRequestService>('SignRequestService'),
  SignatureMaker: token<SignatureMaker>('SignatureMaker'),
  SigningPerformance: token<SigningPerformance>('SigningPerformance'),
  StatusService: token<StatusService>('StatusService'),
  VerifySignatureService: token<VerifySignatureService>('VerifySignatureService'),
} as const;
