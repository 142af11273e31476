import type { MonitoringService } from '../../../../domain/services/monitoring-service.ts';
import type { Clock } from '../../../../ports/clock.ts';
import { answerInSlices } from '../answer-in-slices.ts';
import { callContextOf } from '../callers/call-context.ts';
import { answerRefusal } from '../envelope.ts';
import { metricsFormatOf } from '../metrics-format.ts';
import { Semaphore } from '../overload/semaphore.ts';
import type { SigningIntake } from '../overload/signing-intake.ts';
import type { RefusedQuestions } from '../refused-questions.ts';
import { METRICS_PATH, type Route } from '../route.ts';
import { type TrafficParts, trafficStateOf } from '../traffic-state.ts';

/** Pages that are made at once; with 100,000 accounts one takes seconds, and turns from signing. */
const PAGES = { permits: 2, maxWaiting: 16, maxWaitMs: 5000 };

/** What pages are made with. */
export interface MetricsRouteParts {
  readonly monitoring: Pick<MonitoringService, 'page' | 'refusalOf'>;
  readonly traffic: TrafficParts;
  readonly intake: Pick<SigningIntake, 'refuse'>;
  readonly clock: Clock;
}

/**
 * `GET /metrics`: how the service is, for Prometheus.
 * @param questions answers callers who may not have it; null where whoever gets to this port may
 */
export function metricsRoute(
  { monitoring, traffic, intake, clock }: MetricsRouteParts,
  questions: Pick<RefusedQuestions, 'answer'> | null,
): Route {
  const pages = new Semaphore(PAGES);
  return {
    method: 'get',
    path: METRICS_PATH,
    queryParameters: [],
    refuse: answerRefusal,
    async handle(request, response) {
      const refusal = questions === null ? null : monitoring.refusalOf(callContextOf(response));
      if (refusal !== null) return questions?.answer(response, 'status', refusal);

      const { contentType, format } = metricsFormatOf(request);
      if (request.method === 'HEAD') return answerInSlices(response, [], clock, { contentType });

      const release = await pages.acquire(response);
      if (release === null) return intake.refuse(response);
      try {
        const texts = await monitoring.page(format, () => trafficStateOf(traffic));
        await answerInSlices(response, texts, clock, { contentType });
      } finally {
        release();
      }
    },
  };
}
