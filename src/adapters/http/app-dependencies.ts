import type { CheckpointCopyReport, DiskSpace, ListenerState, RefreshState } from '../../domain/model/service-state.ts';
import type { AccountService } from '../../domain/services/account-service.ts';
import type { AuditEntryService } from '../../domain/services/audit-entry-service.ts';
import type { ReadinessService } from '../../domain/services/readiness-service.ts';
import type { RecentActivity } from '../../domain/services/recent-activity.ts';
import type { RegistryHolder } from '../../domain/services/registry-holder.ts';
import type { ReloadService } from '../../domain/services/reload-service.ts';
import type { SigningPerformance, SignRequestService } from '../../domain/services/sign-request-service.ts';
import type { AuditSink } from '../../ports/audit-sink.ts';
import type { Clock } from '../../ports/clock.ts';
import type { CredentialSource } from '../../ports/credential-source.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { Metrics } from '../../ports/metrics.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { ReplayGuard } from '../../ports/replay-guard.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import type { Traces } from '../../ports/traces.ts';
import type { UsageLedger } from '../../ports/usage-ledger.ts';
import type { ServedNetworks } from './callers/network-list.ts';
import type { RequestAuthentication } from './callers/request-authentication.ts';
import type { RequestCheck } from './middleware/entry-checks.ts';
import type { AuthenticationReport } from './schemas/status-responses.ts';
import type { ClientTrust } from './tls/client-trust.ts';
import type { ForwardedClients } from './tls/forwarded-clients.ts';
import type { TlsCertificate } from './tls/tls-certificate.ts';

/** Everything that the application uses. */
export interface AppDependencies {
  readonly signing: SignRequestService;
  readonly accounts: AccountService;
  readonly reloads: Pick<ReloadService, 'reload'>;
  readonly registry: RegistryHolder;
  readonly activity: RecentActivity;
  readonly metrics: Metrics;
  /** Null without an endpoint for traces. */
  readonly traces: Pick<Traces, 'requestEnded'> | null;
  readonly readiness: ReadinessService;
  /** Null for HTTP. */
  readonly tls: ServerTls | null;
  /** Null unless proxies may forward client certificates. */
  readonly forwarded: ForwardedClients | null;
  readonly networks: ServedNetworks;
  readonly audit: AuditEntryService;
  /** Identity checks of every route that is not open, in this order. */
  readonly callerChecks: readonly RequestCheck[];
  readonly rateLimits: RateLimits;
  /** Null without `SIGNING_AUTH`. */
  readonly authentication: RequestAuthentication | null;
  /** Whether the console is served. */
  readonly hasConsole: boolean;
  /** Days before the expiry of certificate or access token from which the service warns. */
  readonly expiryWarningDays: number;
  readonly clock: Clock;
  readonly log: ServiceLog;
  /** Whether the log has a line for each request. */
  readonly logsRequests: boolean;
  /** Maximum number of items in a batch. */
  readonly maxBatch: number;
  /** Maximum number of concurrent signatures; a quarter is for single requests. */
  readonly maxInFlight: number;
  /** Maximum number of single requests that wait for a permit. */
  readonly maxQueue: number;

  // For the state only.
  readonly usage: UsageLedger;
  readonly sink: AuditSink;
  readonly keyStore: KeyStore;
  readonly source: Pick<CredentialSource, 'location'>;
  readonly performance: SigningPerformance;
  readonly auditDisk: { readonly state: DiskSpace; check(): Promise<void> };
  /** Second places of checkpoints. */
  readonly checkpoints: readonly { readonly state: CheckpointCopyReport }[];
  readonly listeners: { state(): Promise<readonly ListenerState[]> };
  readonly refreshes: { readonly state: RefreshState };
  readonly isMemoryLocked: () => boolean;
  /** Null without `SIGNING_AUTH`. */
  readonly authenticationState: {
    report(): AuthenticationReport;
    readonly guard: Pick<ReplayGuard, 'unavailability'>;
  } | null;
  /** SIGNING_INSTANCE_ID, as in audit records. */
  readonly instanceId: string;
  /** Version of the program. */
  readonly version: string;
  /** Path. */
  readonly auditFile: string;
  /** Whether file changes trigger a reload. */
  readonly watch: boolean;
  /** Whether metrics name accounts. */
  readonly metricsAccounts: boolean;
}

/** The TLS state of the servers. */
export interface ServerTls {
  readonly certificate: TlsCertificate;
  /** Null without client certificates. */
  readonly clients: ClientTrust | null;
}

/** Rate limiters of callers and accounts; null where unlimited. */
export interface RateLimits {
  readonly callers: RateLimiter | null;
  /** Failed authentication attempts, by address; always limited. */
  readonly failures: RateLimiter;
  readonly accounts: RateLimiter | null;
}
