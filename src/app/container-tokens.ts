import type { Container, ServiceIdentifier } from 'inversify';
import type { AuditKey } from '../adapters/audit/audit-key.ts';
import type { CheckpointCopies } from '../adapters/audit/checkpoint/checkpoint-copy.ts';
import type { ServiceKey } from '../adapters/auth/service-key.ts';
import type { MasterKeyStore } from '../adapters/credentials/master-key/master-key-store.ts';
import type { Apps } from '../adapters/http/app.ts';
import type { PassphrasePrompt } from '../adapters/passphrase/passphrase-prompt.ts';
import type { RedisLink } from '../adapters/redis/redis-link.ts';
import type { MemoryUsageLedger } from '../adapters/usage/memory-usage-ledger.ts';
import type { RedisUsageLedger } from '../adapters/usage/redis-usage-ledger.ts';
import type { AccountService } from '../domain/services/account-service.ts';
import type { AuditEntryService } from '../domain/services/audit-entry-service.ts';
import type { DryRunService } from '../domain/services/dry-run-service.ts';
import type { MonitoringService } from '../domain/services/monitoring-service.ts';
import type { PolicyCompiler } from '../domain/services/policy-compiler.ts';
import type { ReadinessService } from '../domain/services/readiness-service.ts';
import type { RecentActivity } from '../domain/services/recent-activity.ts';
import type { RegistryHolder } from '../domain/services/registry-holder.ts';
import type { RegistryLoader } from '../domain/services/registry-loader.ts';
import type { ReloadHistory, ReloadService, RequestedReloadService } from '../domain/services/reload-service.ts';
import type { RetiredKeys } from '../domain/services/retired-keys.ts';
import type { SelfTestService } from '../domain/services/self-test-service.ts';
import type { SignBatchService } from '../domain/services/sign-batch-service.ts';
import type { SigningPerformance, SignRequestService } from '../domain/services/sign-request-service.ts';
import type { StatusService } from '../domain/services/status-service.ts';
import type { VerifySignatureService } from '../domain/services/verify-signature-service.ts';
import type { AuditSink } from '../ports/audit-sink.ts';
import type { BudgetLedger } from '../ports/budget-ledger.ts';
import type { Clock } from '../ports/clock.ts';
import type { CredentialSource } from '../ports/credential-source.ts';
import type { Hasher } from '../ports/hasher.ts';
import type { KeyStore } from '../ports/key-store.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { ReplayGuard } from '../ports/replay-guard.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import type { SignatureVerifier } from '../ports/signature-verifier.ts';
import type { SignerTable } from '../ports/signer.ts';
import type { StarknetTypedDataEncoder } from '../ports/starknet-typed-data-encoder.ts';
import type { Traces } from '../ports/traces.ts';
import type { TypedDataEncoder } from '../ports/typed-data-encoder.ts';
import type { UsageLedger } from '../ports/usage-ledger.ts';
import type { AuditDiskWatch } from './background/audit-disk-watch.ts';
import type { AuthenticationRuntime } from './background/authentication-runtime.ts';
import type { KeyRefreshes } from './background/key-refreshes.ts';
import type { RetiredKeyWipes } from './background/retired-key-wipes.ts';
import type { TlsManager } from './background/tls-manager.ts';
import type { WatchedReloads } from './background/watched-reloads.ts';
import type { Listeners } from './listeners.ts';
import type { RateLimiters } from './rate-limits-and-replay-guard.ts';
import type { Settings } from './settings/settings.ts';

function token<Service>(name: string): ServiceIdentifier<Service> {
  return Symbol(name);
}

/**
 * Binding tokens of the container: ports, shared adapters, domain services, parts of a running
 * service.
 */
export const TOKENS = {
  AuditSink: token<AuditSink>('AuditSink'),
  BudgetLedger: token<BudgetLedger>('BudgetLedger'),
  Clock: token<Clock>('Clock'),
  CredentialSource: token<CredentialSource>('CredentialSource'),
  Hasher: token<Hasher>('Hasher'),
  KeyStore: token<KeyStore>('KeyStore'),
  RetiredKeys: token<RetiredKeys>('RetiredKeys'),
  Metrics: token<Metrics>('Metrics'),
  PassphrasePrompt: token<PassphrasePrompt>('PassphrasePrompt'),
  ReplayGuard: token<ReplayGuard>('ReplayGuard'),
  ServiceLog: token<ServiceLog>('ServiceLog'),
  SignatureVerifier: token<SignatureVerifier>('SignatureVerifier'),
  Signers: token<SignerTable>('Signers'),
  StarknetTypedDataEncoder: token<StarknetTypedDataEncoder>('StarknetTypedDataEncoder'),
  TypedDataEncoder: token<TypedDataEncoder>('TypedDataEncoder'),
  UsageLedger: token<UsageLedger>('UsageLedger'),

  /** Signs the audit file; wiped by `purgeKeys`. */
  AuditKey: token<AuditKey>('AuditKey'),
  /** Signs responses; wiped by `purgeKeys`. */
  AuthKey: token<ServiceKey>('AuthKey'),
  MasterKeys: token<MasterKeyStore>('MasterKeys'),
  /** Counters of this process, restored from the audit file. */
  OwnUsage: token<MemoryUsageLedger>('OwnUsage'),
  RateLimiters: token<RateLimiters>('RateLimiters'),
  /** Null without Redis. Connects on first use. */
  RedisLink: token<RedisLink | null>('RedisLink'),
  Settings: token<Settings>('Settings'),
  /** Shares the counters with other replicas; null without Redis. */
  SharedUsage: token<RedisUsageLedger | null>('SharedUsage'),

  AccountService: token<AccountService>('AccountService'),
  AuditEntryService: token<AuditEntryService>('AuditEntryService'),
  MonitoringService: token<MonitoringService>('MonitoringService'),
  RecentActivity: token<RecentActivity>('RecentActivity'),
  ReadinessService: token<ReadinessService>('ReadinessService'),
  RegistryHolder: token<RegistryHolder>('RegistryHolder'),
  DryRunService: token<DryRunService>('DryRunService'),
  PolicyCompiler: token<PolicyCompiler>('PolicyCompiler'),
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
  /** Second places of audit checkpoints; perhaps none. */
  CheckpointCopies: token<CheckpointCopies>('CheckpointCopies'),
  /** Null if SIGNING_AUTH is off. */
  Authentication: token<AuthenticationRuntime | null>('Authentication'),
  KeyRefreshes: token<KeyRefreshes>('KeyRefreshes'),
  RetiredKeyWipes: token<RetiredKeyWipes>('RetiredKeyWipes'),
  Listeners: token<Listeners>('Listeners'),
  Tls: token<TlsManager>('Tls'),
  /** Null without an endpoint. */
  Traces: token<Traces | null>('Traces'),
  WatchedReloads: token<WatchedReloads>('WatchedReloads'),
} as const;

/** The bound types, by the tokens' names. */
export type PartsOf<Tokens> = {
  readonly [Name in keyof Tokens]: Tokens[Name] extends ServiceIdentifier<infer Part> ? Part : never;
};

/** `toResolvedValue` with dependencies by name. */
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
