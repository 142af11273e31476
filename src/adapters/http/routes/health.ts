import type { Readiness } from '../../../domain/services/readiness-service.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { respondWithData, respondWithRefusal } from '../envelope.ts';
import { refuse } from '../refusals.ts';
import { HEALTH_PATHS, type Route } from '../route.ts';
import type { LivenessResponse, ReadinessReport, ReadinessResponse } from '../schemas/status-responses.ts';
import { readinessFacts, readStatus, type StateSources } from '../state/service-state.ts';

const READINESS = { topic: 'readiness' };

const ALIVE: LivenessResponse = { status: 'alive' };

/** `GET /healthz`: liveness. Responding is the whole check. */
export function healthzRoute(): Route {
  return {
    method: 'get',
    path: HEALTH_PATHS.alive,
    queryParameters: [],
    refuse: respondWithRefusal,
    handle(_request, response) {
      respondWithData(response, ALIVE);
    },
  };
}

/**
 * `GET /readyz`: readiness.
 * @param isBrief check results only, without configuration, keys or disks: the log has the reasons
 */
export function readyzRoute(sources: StateSources, isBrief: boolean): Route {
  const { readiness, log } = sources;
  return {
    method: 'get',
    path: HEALTH_PATHS.ready,
    queryParameters: [],
    refuse: respondWithRefusal,
    async handle(_request, response) {
      const report = await readiness.report();
      const { checks } = report;
      const shown = isBrief ? hideDetails(report) : { checks, facts: readinessFacts(readStatus(sources)) };
      if (isBrief) logReadiness(log, report);
      if (!report.ready) return respondWithRefusal(response, refuse('NotReady', shown));
      const data: ReadinessResponse = { status: 'ready', ...shown };
      respondWithData(response, data);
    },
  };
}

function hideDetails({ checks }: Readiness): ReadinessReport {
  const shown = Object.entries(checks).map(([name, { ok }]) => [name, { ok }]);
  return { checks: Object.fromEntries(shown) };
}

function logReadiness(log: ServiceLog, { checks }: Readiness): void {
  const failing = Object.entries(checks).filter(([, { ok }]) => !ok);
  if (failing.length === 0) log.recovered('The service is ready again.', {}, READINESS);
  else log.warn('The service is not ready.', Object.fromEntries(failing), READINESS);
}
