import type { Container, ServiceIdentifier } from 'inversify';
import type { ServiceKey } from '../adapters/driven/access-tokens/service-key.ts';
import type { AuditKey } from '../adapters/driven/audit-sink/audit-key/audit-key.ts';
import type { MasterKeyKeeper } from '../adapters/driven/credential-source/master-key/master-key-keeper.ts';
import type { MemoryUsageLedger } from '../adapters/driven/usage-ledger/memory-usage-ledger.ts';
import type { RedisUsageLedger } from '../adapters/driven/usage-ledger/redis-usage-ledger.ts';
import type { Apps } from '../adapters/driving/http/app.ts';
import type { AccountAdministrationService } from '../domain/services/account-administration-service.ts';
import type { AccountService } from '../domain/services/account-service.ts';
import type { AuditEntryService } from '../domain/services/audit-entry-service.ts';
import type { MonitoringService } from '../domain/services/monitoring-service.ts';
import type { ReadinessService } from '../domain/services/readiness-service.ts';
import type { RegistryHolder } from '../domain/services/registry-holder.ts';
import type { RegistryLoader } from '../domain/services/registry-loader.ts';
import type { ReloadHistory } from '../domain/services/reload-history.ts';
import type { ReloadService } from '../domain/services/reload-service.ts';
import type { RequestedReloadService } from '../domain/services/requested-reload-service.ts';
import type { SelfTestService } from '../domain/services/self-test-service.ts';
import type { SignBatchService } from '../domain/services/sign-batch-service.ts';
import type { SignRequestService } from '../domain/services/sign-request-service.ts';
import type { SigningPerformance } from '../domain/services/signing-performance.ts';
import type { StatusService } from '../domain/services/status-service.ts';
import type { VerifySignatureService } from '../domain/services/verify-signature-service.ts';
import type { AuditSink } from '../ports/audit-sink.ts';
import type { Clock } from '../ports/clock.ts';
import type { CredentialEditor } from '../ports/credential-editor.ts';
import type { CredentialSource } from '../ports/credential-source.ts';
import type { Hasher } from '../ports/hasher.ts';
import type { KeyStore } from '../ports/key-store.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { ReplayGuard } from '../ports/replay-guard.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import type { SignatureVerifier } from '../ports/signature-verifier.ts';
import type { SignerTable } from '../ports/signer.ts';
import type { TypedDataEncoder } from '../ports/typed-data-encoder.ts';
import type { UsageLedger } from '../ports/usage-ledger.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import type { PassphrasePrompt } from '../secure-memory/passphrase-prompt.ts';
import type { AuditDiskWatch } from './audit-disk-watch.ts';
import type { RateLimiters } from './create-rate-limiters.ts';
import type { KeptAuthentication } from './keep-authentication.ts';
import type { KeptTls } from './keep-tls.ts';
import type { Listeners } from './listeners.ts';
import type { KeyRefreshes } from './refresh-keys.ts';
import type { Settings } from './settings.ts';
import type { WatchedReloads } from './watched-reloads.ts';

function token<Service>(name: string): ServiceIdentifier<Service> {
  return Symbol(name);
}

/**
 * Everything that the container binds: ports, parts that adapters share, domain services, and the
 * parts of a running service.
 */
export const TOKENS = {
  AuditSink: token<AuditSink>('AuditSink'),
  Clock: token<Clock>('Clock'),
  CredentialEditor: token<CredentialEditor>('CredentialEditor'),
  CredentialSource: token<CredentialSource>('CredentialSource'),
  Hasher: token<Hasher>('Hasher'),
  KeyStore: token<KeyStore>('KeyStore'),
  Metrics: token<Metrics>('Metrics'),
  PassphrasePrompt: token<PassphrasePrompt>('PassphrasePrompt'),
  ReplayGuard: token<ReplayGuard>('ReplayGuard'),
  ServiceLog: token<ServiceLog>('ServiceLog'),
  SignatureVerifier: token<SignatureVerifier>('SignatureVerifier'),
  Signers: token<SignerTable>('Signers'),
  TypedDataEncoder: token<TypedDataEncoder>('TypedDataEncoder'),
  UsageLedger: token<UsageLedger>('UsageLedger'),

  /** Signs the audit file; opened on first use, wiped by `purgeKeys`. */
  AuditKey: token<AuditKey>('AuditKey'),
  /** Signs responses; opened on first use, wiped by `purgeKeys`. */
  AuthKey: token<ServiceKey>('AuthKey'),
  /** Shared by the file adapters of the credentials: unlocked for one is unlocked for all. */
  MasterKeys: token<MasterKeyKeeper>('MasterKeys'),
  /** The counters of this process, which the audit file restores. */
  OwnUsage: token<MemoryUsageLedger>('OwnUsage'),
  RateLimiters: token<RateLimiters>('RateLimiters'),
  /** For requests that wait; null without Redis. Connects on first use. */
  RedisLink: token<RedisLink | null>('RedisLink'),
  Settings: token<Settings>('Settings'),
  /** Shares the counters with other replicas; null without Redis. */
  SharedUsage: token<RedisUsageLedger | null>('SharedUsage'),

  AccountAdministrationService: token<AccountAdministrationService>('AccountAdministrationService'),
  AccountService: token<AccountService>('AccountService'),
  AuditEntryService: token<AuditEntryService>('AuditEntryService'),
  MonitoringService: token<MonitoringService>('MonitoringService'),
  ReadinessService: token<ReadinessService>('ReadinessService'),
  RegistryHolder: token<RegistryHolder>('RegistryHolder'),
  RegistryLoader: token<RegistryLoader>('RegistryLoader'),
  ReloadHistory: token<ReloadHistory>('ReloadHistory'),
  ReloadService: token<ReloadService>('ReloadService'),
  RequestedReloadService: token<RequestedReloadService>('RequestedReloadService'),
  SelfTestService: token<SelfTestService>('SelfTestService'),
  SignBatchService: token<SignBatchService>('SignBatchService'),
  SignRequestService: token<SignRequestService>('SignRequestService'),
  SigningPerformance: token<SigningPerformance>('SigningPerformance'),
  StatusService: token<StatusService>('StatusService'),
  VerifySignatureService: token<VerifySignatureService>('VerifySignatureService'),

  Apps: token<Apps>('Apps'),
  AuditDiskWatch: token<AuditDiskWatch>('AuditDiskWatch'),
  /** Null where SIGNING_AUTH is off. */
  Authentication: token<KeptAuthentication | null>('Authentication'),
  KeyRefreshes: token<KeyRefreshes>('KeyRefreshes'),
  Listeners: token<Listeners>('Listeners'),
  Tls: token<KeptTls>('Tls'),
  WatchedReloads: token<WatchedReloads>('WatchedReloads'),
} as const;

/** What tokens stand for, by the names that they are listed under. */
export type PartsOf<Tokens> = {
  readonly [Name in keyof Tokens]: Tokens[Name] extends ServiceIdentifier<infer Part> ? Part : never;
};

/** As `toResolvedValue`, for whatever takes its many parts by name. */
export function bindWithParts<Service, Tokens extends { readonly [name: string]: ServiceIdentifier<unknown> }>(
  container: Container,
  token: ServiceIdentifier<Service>,
  tokens: Tokens,
  make: (parts: PartsOf<Tokens>) => Service,
): void {
  const names = Object.keys(tokens);
  container
    .bind(token)
    .toResolvedValue(
      (...parts: unknown[]) =>
        make(Object.fromEntries(names.map((name, index) => [name, parts[index]])) as PartsOf<Tokens>),
      Object.values(tokens),
    );
}
