import type { Request } from 'express';
import type { MonitoringService } from '../../../../domain/services/monitoring-service.ts';
import type { Clock } from '../../../../ports/clock.ts';
import type { MetricsFormat } from '../../../../ports/metrics.ts';
import { answerInSlices } from '../answer-in-slices.ts';
import { callContextOf } from '../callers/call-context.ts';
import { answerRefusal } from '../envelope.ts';
import { Semaphore } from '../overload/semaphore.ts';
import type { SigningIntake } from '../overload/signing-intake.ts';
import type { RecordedRefusals } from '../recorded-refusals.ts';
import { METRICS_PATH, type Route } from '../route.ts';
import { type TrafficParts, trafficStateOf } from '../traffic-state.ts';

/** Pages that are made at once; with 100,000 accounts one takes seconds, and turns from signing. */
const PAGES = { permits: 2, maxWaiting: 16, maxWaitMs: 5000 };

/** Content types of pages of metrics. */
const CONTENT_TYPES: { readonly [Format in MetricsFormat]: string } = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** What pages are made with. */
export interface MetricsRouteParts {
  readonly monitoring: MonitoringService;
  readonly traffic: TrafficParts;
  readonly intake: SigningIntake;
  readonly clock: Clock;
}

/**
 * `GET /metrics`: how the service is, for Prometheus.
 * @param refusals for callers that may not have it; null where every caller of this port may
 */
export function metricsRoute(
  { monitoring, traffic, intake, clock }: MetricsRouteParts,
  refusals: RecordedRefusals | null,
): Route {
  const pages = new Semaphore(PAGES);
  return {
    method: 'get',
    path: METRICS_PATH,
    queryParameters: [],
    refuse: answerRefusal,
    async handle(request, response) {
      const refusal = refusals === null ? null : monitoring.refusalOf(callContextOf(response));
      if (refusal !== null) return refusals?.unshown('status', response, refusal);

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

/**
 * In which form a request asks for metrics (RFC 9110 §12.5.1). A request that accepts neither gets
 * the text format: monitoring that asks in a wrong way should not be blind.
 */
function metricsFormatOf(request: Request): { readonly contentType: string; readonly format: MetricsFormat } {
  const { text, openmetrics } = CONTENT_TYPES;
  const format = request.accepts([text, openmetrics]) === openmetrics ? 'openmetrics' : 'text';
  return { contentType: CONTENT_TYPES[format], format };
}
