import type { ReadinessService } from '../../../../domain/services/readiness-service.ts';
import { answerData, answerRefusal } from '../envelope.ts';
import { notReady } from '../http-refusal.ts';
import { briefReadinessView, readinessView } from '../readiness-view.ts';
import { HEALTH_PATHS, type Route } from '../route.ts';

/**
 * `GET /readyz`: whether the process should be sent requests, and why not.
 * @param isBrief whether it shows which checks hold and no more, since the rest is for those alone who may have the status
 */
export function readyzRoute(readiness: Pick<ReadinessService, 'report'>, isBrief: boolean): Route {
  const view = isBrief ? briefReadinessView : readinessView;
  return {
    method: 'get',
    path: HEALTH_PATHS.ready,
    refuse: answerRefusal,
    async handle(_request, response) {
      const report = await readiness.report();
      const shown = view(report);
      if (report.ready) answerData(response, { status: 'ready', ...shown });
      else answerRefusal(response, notReady(shown));
    },
  };
}
