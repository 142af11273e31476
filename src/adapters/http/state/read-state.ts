import type { Account, UsageTotals } from '../../../domain/model/account.ts';
import type {
  CheckpointCopyReport,
  DiskSpace,
  ListenerState,
  RefreshState,
} from '../../../domain/model/service-state.ts';
import type { Caller } from '../../../domain/model/sign-request.ts';
import type { Readiness } from '../../../domain/services/readiness-service.ts';
import { hideAccounts } from '../../../domain/services/recent-activity.ts';
import type { SigningPerformance } from '../../../domain/services/sign-request-service.ts';
import type { ReplayGuard } from '../../../ports/replay-guard.ts';
import type { AppDependencies } from '../app.ts';
import type { Gate } from '../gate.ts';
import type {
  ActivityResponse,
  AuthenticationReport,
  ReadinessFacts,
  StatusResponse,
} from '../schemas/status-responses.ts';

/** Everything that the application uses, also to show the state of the service. */
export interface StateDependencies extends AppDependencies {
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

/** What the state is read from. */
export interface StateSources extends StateDependencies {
  readonly gate: Gate;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
}

/** What metrics are read from: the status, and the sources of what it does not have. */
export interface ServiceState extends StateSources, Pick<Readiness, 'ready' | 'checks'> {
  readonly status: StatusResponse;
  readonly connections: readonly ListenerState[];
  /** Null without mutual authentication. */
  readonly canDetectReplays: boolean | null;
  /** Empty where metrics name no accounts. */
  readonly namedAccounts: readonly Account[];
}

/** Collects the state. Never rejects. */
export async function collectState(sources: StateSources): Promise<ServiceState> {
  const { registry, readiness, listeners, auditDisk, authenticationState } = sources;
  const [{ ready, checks }, connections, replayIssue] = await Promise.all([
    readiness.report(),
    listeners.state(),
    authenticationState?.guard.unavailability(),
    auditDisk.check(),
  ]);
  return {
    ...sources,
    ready,
    checks,
    connections,
    status: readStatus(sources, sources.usage.totals()),
    canDetectReplays: authenticationState && replayIssue === null,
    namedAccounts: sources.metricsAccounts ? registry.current.accounts() : [],
  };
}

/** `data` of `GET /status`, without activity. @param totals of all replicas, or of this one */
export function readStatus(sources: StateSources, { totalSigns, errorCount }: UsageTotals): StatusResponse {
  const { registry, usage, performance, sink, source, checkpoints, clock, tls, gate } = sources;
  const { accountCount } = registry.current;
  const errors = errorCount + performance.unrecorded;
  const attempts = totalSigns + errors;
  return {
    status: sink.available && accountCount > 0 ? 'healthy' : 'degraded',
    uptime: formatUptime(clock.monotonic() - sources.startedAt),
    instance: { id: sources.instanceId, version: sources.version },
    config: {
      path: source.location,
      lastLoaded: registry.loadedAt,
      isWatching: sources.watch,
      lastReload: readLastReload(registry.lastReload),
      reloads: registry.reloads,
    },
    accounts: { total: accountCount, byPlatform: registry.current.countByPlatform() },
    performance: {
      avgSigningTime: `${performance.avgSigningTimeMs.toFixed(2)}ms`,
      totalSigns,
      errorRate: attempts === 0 ? 0 : errors / attempts,
    },
    usage: usage.sharing,
    audit: {
      path: sources.auditFile,
      available: sink.available,
      head: sink.head,
      checkpoint: sink.checkpoint,
      disk: sources.auditDisk.state,
      checkpointCopies: checkpoints.map(({ state }) => state),
    },
    load: { ...gate.admission.load, rateLimited: gate.limited.callers + gate.limited.authentications },
    rateLimits: readRateLimits(sources.limiters),
    tls: tls === null ? null : { ...tls.certificate.report(), clientCertificates: tls.clients?.report() ?? null },
    forwardedCertificates: sources.forwarded?.report() ?? null,
    authentication: sources.authenticationState?.report() ?? null,
    expiryWarningDays: sources.expiryWarningDays,
  };
}

/** Recent activity, without accounts that the caller may not read. */
export function readActivity({ activity, registry }: AppDependencies, { principal }: Caller): ActivityResponse {
  const { permissions } = registry.current;
  if (permissions.isOpen) return activity.report();
  return hideAccounts(activity.report(), (account) => permissions.allows(principal, 'read', account));
}

/** Informational facts of the readiness, for operators. */
export function readinessFacts({ tls, authentication, config, audit }: StatusResponse): ReadinessFacts {
  return {
    tls: tls === null ? null : { certificate: tls.certificate, loadedAt: tls.loadedAt, lastReload: tls.lastReload },
    ...(authentication === null ? {} : { authentication }),
    config: config.lastReload,
    audit: { disk: audit.disk },
  };
}

function readLastReload(last: StateSources['registry']['lastReload']): StatusResponse['config']['lastReload'] {
  if (last === null) return null;
  const { at, trigger, outcome, issues } = last;
  return { at, trigger, outcome, issues };
}

function readRateLimits({ callers, accounts, sharing }: AppDependencies['limiters']): StatusResponse['rateLimits'] {
  const limit = callers ?? accounts;
  if (limit === null) return null;
  return {
    perCaller: callers?.points ?? null,
    perAccount: accounts?.points ?? null,
    windowSeconds: limit.windowSeconds,
    ...sharing,
  };
}

/**
 * A duration as `<h>h <m>m <s>s`; hours go beyond 24.
 * @example formatUptime(90_061_000) // '25h 1m 1s'
 */
function formatUptime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 3600)}h ${Math.floor(seconds / 60) % 60}m ${seconds % 60}s`;
}
