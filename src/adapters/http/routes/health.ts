import type { Readiness, ReadinessService } from '../../../domain/services/readiness-service.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { respondWithData, respondWithRefusal } from '../envelope.ts';
import { notReady } from '../http-refusal.ts';
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
export function readyzRoute(readiness: ReadinessService, detailsLog: ServiceLog | null): Route {
  const view = detailsLog === null ? readinessView : briefReadinessView;
  const log = detailsLog === null ? () => undefined : logChanges(detailsLog);
  return {
    method: 'get',
    path: HEALTH_PATHS.ready,
    queryParameters: [],
    refuse: respondWithRefusal,
    async handle(_request, response) {
      const report = await readiness.report();
      const shown = view(report);
      log(report);
      if (!report.ready) return respondWithRefusal(response, notReady(shown));
      const data: ReadinessResponse = { status: 'ready', ...shown };
      respondWithData(response, data);
    },
  };
}

/** Logs changes only: probes come every second. */
function logChanges(log: ServiceLog): (report: Readiness) => void {
  let lastLogged = '';
  return ({ checks }) => {
    const failing = Object.entries(checks).filter(([, { ok }]) => !ok);
    const text = JSON.stringify(failing);
    if (text === lastLogged) return;
    if (failing.length > 0) log.warn('The service is not ready.', Object.fromEntries(failing));
    else if (lastLogged !== '') log.info('The service is ready again.');
    lastLogged = text;
  };
}
