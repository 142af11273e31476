import type { Request } from 'express';
import type { MetricsFormat } from '../../../ports/metrics.ts';
import { Semaphore } from '../admission/semaphore.ts';
import { respondWithRefusal } from '../envelope.ts';
import type { RefusalRecorder } from '../refusal-recorder.ts';
import { METRICS_PATH, type Route } from '../route.ts';
import { collectState, type StateSources } from '../state/service-state.ts';
import { readMetrics } from '../state/state-metrics.ts';
import { streamResponse } from '../stream-response.ts';

/** Concurrent pages; with 100,000 accounts one takes seconds. */
const PAGES = { permits: 2, maxWaiting: 16, maxWaitMs: 5000 };

const CONTENT_TYPES: { readonly [Format in MetricsFormat]: string } = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/**
 * `GET /metrics`: metrics for Prometheus.
 * @param refusals for callers without permission; null if the port is open
 */
export function metricsRoute(sources: StateSources, refusals: RefusalRecorder | null): Route {
  const { metrics, intake, clock } = sources;
  const pages = new Semaphore(PAGES);
  return {
    method: 'get',
    path: METRICS_PATH,
    queryParameters: [],
    refuse: respondWithRefusal,
    async handle(request, response) {
      if (refusals !== null && !(await refusals.permit('status', response))) return;

      const { contentType, format } = negotiateFormat(request);
      if (request.method === 'HEAD') return streamResponse(response, [], clock, { contentType });

      const release = await pages.acquire(response);
      if (release === null) return intake.refuse(response);
      try {
        const chunks = await metrics.page(format, readMetrics(await collectState(sources)));
        await streamResponse(response, chunks, clock, { contentType });
      } finally {
        release();
      }
    },
  };
}

/** RFC 9110 §12.5.1; the default is text, so that a wrong `Accept` does not blind monitoring. */
function negotiateFormat(request: Request): { readonly contentType: string; readonly format: MetricsFormat } {
  const { text, openmetrics } = CONTENT_TYPES;
  const format = request.accepts([text, openmetrics]) === openmetrics ? 'openmetrics' : 'text';
  return { contentType: CONTENT_TYPES[format], format };
}
