import { Outage } from '../../../domain/flow/log-throttle.ts';
import type { Readiness, ReadinessService } from '../../../domain/services/readiness-service.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { respondWithData, respondWithRefusal } from '../envelope.ts';
import { refuse } from '../refusals.ts';
import { HEALTH_PATHS, type Route } from '../route.ts';
import type { LivenessResponse, ReadinessResponse } from '../schemas/status-responses.ts';
import { briefReadinessView, readinessView } from '../views.ts';

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
 * @param detailsLog logs the reasons that a brief response leaves out; null for a detailed response
 */
export function readyzRoute(readiness: ReadinessService, clock: Clock, detailsLog: ServiceLog | null): Route {
  const view = detailsLog === null ? readinessView : briefReadinessView;
  const log = detailsLog === null ? () => undefined : logChanges(detailsLog, clock);
  return {
    method: 'get',
    path: HEALTH_PATHS.ready,
    queryParameters: [],
    refuse: respondWithRefusal,
    async handle(_request, response) {
      const report = await readiness.report();
      const shown = view(report);
      log(report);
      if (!report.ready) return respondWithRefusal(response, refuse('NotReady', shown));
      const data: ReadinessResponse = { status: 'ready', ...shown };
      respondWithData(response, data);
    },
  };
}

/** Logs changes only, at most once a minute: probes come every second. */
function logChanges(log: ServiceLog, clock: Clock): (report: Readiness) => void {
  const outage = new Outage(clock);
  return ({ checks }) => {
    const failing = Object.entries(checks).filter(([, { ok }]) => !ok);
    if (failing.length === 0) {
      if (outage.end()) log.info('The service is ready again.');
    } else if (outage.failed(JSON.stringify(failing))) {
      log.warn('The service is not ready.', Object.fromEntries(failing));
    }
  };
}
