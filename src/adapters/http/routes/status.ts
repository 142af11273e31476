import type { UsageSharing } from '../../../domain/model/account.ts';
import type { ReadinessService } from '../../../domain/services/readiness-service.ts';
import type { RecentActivity } from '../../../domain/services/recent-activity.ts';
import type { StatusReport, StatusService } from '../../../domain/services/status-service.ts';
import type { SigningIntake } from '../admission/signing-intake.ts';
import type { RateLimits } from '../app-dependencies.ts';
import { getCallContext } from '../call-context.ts';
import type { AuthFailureLimiter } from '../callers/auth-failure-limiter.ts';
import type { CallerRateLimiter } from '../callers/caller-rate-limiter.ts';
import { respondWithData, respondWithRefusal } from '../envelope.ts';
import type { RefusalRecorder } from '../refusal-recorder.ts';
import { malformed } from '../refusals.ts';
import { API_PREFIX, type Route } from '../route.ts';
import type { ActivityResponse, RateLimitsReport, StatusResponse } from '../schemas/status-responses.ts';
import type { ForwardedClients } from '../tls/forwarded-clients.ts';
import { type ServerTls, tlsReport } from '../tls/server-tls.ts';
import { factsView, reloadView } from '../views.ts';

/** Dependencies of the status route. */
export interface StatusRouteDependencies {
  readonly activity: RecentActivity;
  readonly intake: SigningIntake;
  readonly limits: CallerRateLimiter | null;
  readonly failures: AuthFailureLimiter;
  readonly rateLimits: RateLimits;
  /** Null for HTTP. */
  readonly tls: ServerTls | null;
  /** Null unless proxies may forward client certificates. */
  readonly forwarded: ForwardedClients | null;
  readonly readiness: ReadinessService;
  readonly refusals: RefusalRecorder;
  /** Days before an expiry from which the service warns. */
  readonly expiryWarningDays: number;
}

/** `GET /status`: health, load and configuration; with `?include=activity`, recent activity. */
export function statusRoute(status: StatusService, dependencies: StatusRouteDependencies): Route {
  const { activity, refusals } = dependencies;
  return {
    method: 'get',
    path: `${API_PREFIX}/status`,
    queryParameters: ['include'],
    refuse: respondWithRefusal,
    async handle({ query: { include } }, response) {
      if (include !== undefined && include !== 'activity') {
        return respondWithRefusal(response, malformed('include', 'must be activity or absent (query parameter)'));
      }
      if (!(await refusals.permit('status', response))) return;
      const body: StatusResponse = readStatus(status, dependencies);
      if (include === undefined) return respondWithData(response, body);
      const shown: ActivityResponse = status.showActivity(activity.report(), getCallContext(response));
      respondWithData(response, { ...body, activity: shown });
    },
  };
}

/** The status without activity. */
export function readStatus(
  status: StatusService,
  { intake, limits, failures, rateLimits, tls, forwarded, readiness, expiryWarningDays }: StatusRouteDependencies,
): StatusResponse {
  return {
    ...view(status.report()),
    load: { ...intake.load, rateLimited: (limits?.refused ?? 0) + failures.refused },
    rateLimits: rateLimitsView(rateLimits),
    tls: tls === null ? null : tlsReport(tls),
    forwardedCertificates: forwarded?.report() ?? null,
    authentication: factsView(readiness.facts).authentication ?? null,
    expiryWarningDays,
  };
}

function view({
  status,
  uptimeMs,
  config,
  accounts,
  performance,
  usage,
  instance,
  audit,
}: StatusReport): Omit<
  StatusResponse,
  'load' | 'rateLimits' | 'tls' | 'forwardedCertificates' | 'authentication' | 'expiryWarningDays' | 'activity'
> {
  const { path, lastLoaded, isWatching, lastReload, reloads } = config;
  const { total, byPlatform } = accounts;
  const { avgSigningTimeMs, totalSigns, errorRate } = performance;
  return {
    status,
    uptime: formatUptime(uptimeMs),
    instance: { ...instance },
    config: {
      ...{ path, lastLoaded, isWatching },
      lastReload: reloadView(lastReload),
      reloads: { ...reloads },
    },
    accounts: { total, byPlatform },
    performance: { avgSigningTime: `${avgSigningTimeMs.toFixed(2)}ms`, totalSigns, errorRate },
    usage: usageView(usage),
    audit: auditView(audit),
  };
}

function auditView({
  path,
  isAvailable,
  head,
  checkpoint,
  disk,
  checkpointCopies,
}: StatusReport['audit']): StatusResponse['audit'] {
  return {
    ...{ path, available: isAvailable },
    head: { ...head },
    checkpoint: checkpoint === null ? null : { ...checkpoint },
    disk: { ...disk },
    checkpointCopies: checkpointCopies.map((copy) => ({ ...copy })),
  };
}

function usageView(usage: UsageSharing): StatusResponse['usage'] {
  if (usage.mode === 'alone') {
    return { shared: false, state: 'current', behindSince: null, reason: null, replicas: 1 };
  }
  const { state, since, reason, replicas } = usage;
  return { shared: true, state, behindSince: since, reason, replicas };
}

/** Rate limits in the status; null without any. */
function rateLimitsView({ callers, accounts }: RateLimits): RateLimitsReport | null {
  const limiter = callers ?? accounts;
  if (limiter === null) return null;
  const { budget, sharing } = limiter;
  const isShared = sharing.mode === 'shared';
  return {
    perCaller: callers?.budget.points ?? null,
    perAccount: accounts?.budget.points ?? null,
    windowSeconds: budget.windowSeconds,
    shared: isShared,
    state: isShared ? sharing.state : 'current',
    apartSince: isShared ? sharing.since : null,
    reason: isShared ? sharing.reason : null,
  };
}

/**
 * A duration as `<h>h <m>m <s>s`; hours go beyond 24.
 * @example formatUptime(90_061_000) // '25h 1m 1s'
 */
export function formatUptime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 3600)}h ${Math.floor(seconds / 60) % 60}m ${seconds % 60}s`;
}
