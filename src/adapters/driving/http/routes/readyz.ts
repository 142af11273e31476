import type { Readiness, ReadinessService } from '../../../../domain/services/readiness-service.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import { notReady } from '../http-refusal.ts';
import { briefReadinessView, readinessView } from '../readiness-view.ts';
import { HEALTH_PATHS, type Route } from '../route.ts';
import type { ReadyAnswer } from '../schemas/answers/health-answers.ts';

/**
 * `GET /readyz`: whether the process should be sent requests, and why not.
 * @param detailsLog gets the reasons where the answer shows which checks hold and no more, since the rest is for those alone who may have the status; null: the answer shows all
 */
export function readyzRoute(readiness: ReadinessService, detailsLog: ServiceLog | null): Route {
  const view = detailsLog === null ? readinessView : briefReadinessView;
  const tell = detailsLog === null ? () => undefined : tellOfChanges(detailsLog);
  return {
    method: 'get',
    path: HEALTH_PATHS.ready,
    queryParameters: [],
    refuse: answerRefusal,
    async handle(_request, response) {
      const report = await readiness.report();
      const shown = view(report);
      tell(report);
      if (!report.ready) return answerRefusal(response, notReady(shown));
      const answer: ReadyAnswer = { status: 'ready', ...shown };
      answerData(response, answer);
    },
  };
}

/** Once for each change: probes come every second. */
function tellOfChanges(log: ServiceLog): (report: Readiness) => void {
  let told = '';
  return ({ checks }) => {
    const failing = Object.entries(checks).filter(([, { ok }]) => !ok);
    const text = JSON.stringify(failing);
    if (text === told) return;
    if (failing.length > 0) log.warn('The service is not ready.', Object.fromEntries(failing));
    else if (told !== '') log.info('The service is ready again.');
    told = text;
  };
}
