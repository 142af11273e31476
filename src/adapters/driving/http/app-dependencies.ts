import type { AccountService } from '../../../domain/services/account-service.ts';
import type { AuditEntryService } from '../../../domain/services/audit-entry-service.ts';
import type { MonitoringService } from '../../../domain/services/monitoring-service.ts';
import type { ReadinessService } from '../../../domain/services/readiness-service.ts';
import type { RequestedReloadService } from '../../../domain/services/requested-reload-service.ts';
import type { SignBatchService } from '../../../domain/services/sign-batch-service.ts';
import type { SignRequestService } from '../../../domain/services/sign-request-service.ts';
import type { StatusService } from '../../../domain/services/status-service.ts';
import type { VerifySignatureService } from '../../../domain/services/verify-signature-service.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { Counting } from '../../../ports/metrics.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { RequestAuthentication } from './authentication/request-authentication.ts';
import type { RequestCheck } from './middleware/entry-checks.ts';
import type { ServedNetworks } from './networks/served-networks.ts';
import type { RateLimits } from './rate-limits-view.ts';
import type { ServerTls } from './tls/server-tls.ts';

/** What the application serves. */
export interface AppDependencies {
  readonly signing: SignRequestService;
  readonly batches: SignBatchService;
  readonly verification: VerifySignatureService;
  readonly accounts: AccountService;
  readonly reloads: RequestedReloadService;
  readonly status: StatusService;
  readonly monitoring: MonitoringService;
  readonly metrics: Counting;
  readonly readiness: ReadinessService;
  /** Null for HTTP. */
  readonly tls: ServerTls | null;
  readonly networks: ServedNetworks;
  readonly audit: AuditEntryService;
  /** What a request to any route but those of health has to pass first, in this order. */
  readonly callerChecks: readonly RequestCheck[];
  readonly rateLimits: RateLimits;
  /** Null where callers are not asked who they are. */
  readonly authentication: RequestAuthentication | null;
  readonly clock: Clock;
  readonly log: ServiceLog;
  /** Most items in one batch. */
  readonly maxBatch: number;
  /** Most signatures in the making at once, a quarter of them for single requests. */
  readonly maxInFlight: number;
  /** Most single signing requests that wait for that. */
  readonly maxQueue: number;
}
