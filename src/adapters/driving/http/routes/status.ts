import type { UsageSharing } from '../../../../domain/model/usage.ts';
import type { ReadinessService } from '../../../../domain/services/readiness-service.ts';
import type { StatusReport, StatusService } from '../../../../domain/services/status-service.ts';
import { callContextOf } from '../callers/call-context.ts';
import type { CallerLimits } from '../callers/caller-limits.ts';
import type { FailedProofs } from '../callers/failed-proofs.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import type { SigningIntake } from '../overload/signing-intake.ts';
import { type RateLimits, rateLimitsView } from '../rate-limits-view.ts';
import { factsView } from '../readiness-view.ts';
import type { RecordedRefusals } from '../recorded-refusals.ts';
import { reloadView } from '../reload-view.ts';
import { API_PREFIX, type Route } from '../route.ts';
import type { StatusAnswer } from '../schemas/answers/status-answer.ts';
import { type ServerTls, tlsReport } from '../tls/server-tls.ts';
import { uptimeText } from '../uptime-text.ts';

/** What of the server itself is shown beside the report. */
export interface ShownParts {
  readonly intake: SigningIntake;
  readonly limits: CallerLimits | null;
  readonly proofs: FailedProofs;
  readonly rateLimits: RateLimits;
  /** Null for HTTP. */
  readonly tls: ServerTls | null;
  readonly readiness: ReadinessService;
  readonly refusals: RecordedRefusals;
}

/** `GET /status`: how the service is, and how much it has to do. */
export function statusRoute(
  status: StatusService,
  { intake, limits, proofs, rateLimits, tls, readiness, refusals }: ShownParts,
): Route {
  return {
    method: 'get',
    path: `${API_PREFIX}/status`,
    queryParameters: [],
    refuse: answerRefusal,
    async handle(_request, response) {
      const report = status.report(callContextOf(response));
      if (!report.ok) return refusals.unshown('status', response, report.refusal);
      const answer: StatusAnswer = {
        ...view(report.value),
        load: { ...intake.load, rateLimited: (limits?.refused ?? 0) + proofs.refused },
        rateLimits: rateLimitsView(rateLimits),
        tls: tls === null ? null : tlsReport(tls),
        authentication: factsView(readiness.facts).authentication ?? null,
      };
      answerData(response, answer);
    },
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
}: StatusReport): Omit<StatusAnswer, 'load' | 'rateLimits' | 'tls' | 'authentication'> {
  const { path, lastLoaded, isWatching, lastReload, reloads } = config;
  const { total, byPlatform } = accounts;
  const { avgSigningTimeMs, totalSigns, errorRate } = performance;
  return {
    status,
    uptime: uptimeText(uptimeMs),
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

function auditView({ path, isAvailable, head, checkpoint, disk }: StatusReport['audit']): StatusAnswer['audit'] {
  return {
    ...{ path, available: isAvailable },
    head: { ...head },
    checkpoint: checkpoint === null ? null : { ...checkpoint },
    disk: { ...disk },
  };
}

function usageView(usage: UsageSharing): StatusAnswer['usage'] {
  if (usage.mode === 'alone') {
    return { shared: false, state: 'current', behindSince: null, reason: null, replicas: 1 };
  }
  const { state, since, reason, replicas } = usage;
  return { shared: true, state, behindSince: since, reason, replicas };
}
