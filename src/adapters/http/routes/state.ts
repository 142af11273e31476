import type { Request } from 'express';
import type { z } from 'zod';
import { accepted, refused } from '../../../domain/model/refusal.ts';
import type { Readiness } from '../../../domain/services/readiness-service.ts';
import type { MetricsFormat } from '../../../ports/metrics.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { Semaphore } from '../admission/semaphore.ts';
import { refuseRequest } from '../refusals.ts';
import type { Endpoint } from '../route.ts';
import { statusQuery } from '../schemas/queries.ts';
import type { LivenessResponse, ReadinessReport, ReadinessResponse } from '../schemas/status-responses.ts';
import { collectState, readActivity, readinessFacts, readStatus, type StateSources } from '../state/read-state.ts';
import { readMetrics } from '../state/state-metrics.ts';
import { streamResponse } from '../stream-response.ts';

/** Concurrent pages; with 100,000 accounts one takes seconds. */
const PAGES = { permits: 2, maxWaiting: 16, maxWaitMs: 5000 };

const CONTENT_TYPES: { readonly [Format in MetricsFormat]: string } = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

const READINESS = { topic: 'readiness' };

const ALIVE: LivenessResponse = { status: 'alive' };

/** `GET /healthz`: liveness. Responding is the whole check. */
export const LIVENESS: Endpoint = { handle: () => accepted(ALIVE) };

/**
 * `GET /readyz`: readiness.
 * @param isBrief check results only, without configuration, keys or disks: the log has the reasons
 */
export function readinessEndpoint(sources: StateSources, isBrief: boolean): Endpoint {
  const { readiness, usage, log } = sources;
  return {
    async handle() {
      const report = await readiness.report();
      const { checks } = report;
      const shown = isBrief
        ? hideDetails(report)
        : { checks, facts: readinessFacts(readStatus(sources, usage.totals())) };
      if (isBrief) logReadiness(log, report);
      if (!report.ready) return refused(refuseRequest('NotReady', shown));
      return accepted({ status: 'ready', ...shown } satisfies ReadinessResponse);
    },
  };
}

/** `GET /status`: health, load and configuration; with `?include=activity`, recent activity. */
export function statusEndpoint(sources: StateSources): Endpoint<z.infer<typeof statusQuery>> {
  return {
    query: statusQuery,
    async handle({ context, query: { include } }) {
      const { totals } = await sources.usage.sum([]);
      const status = readStatus(sources, totals);
      return accepted(include === undefined ? status : { ...status, activity: readActivity(sources, context) });
    },
  };
}

/** `GET /metrics`: metrics for Prometheus. */
export function metricsEndpoint(sources: StateSources): Endpoint {
  const { metrics, gate, clock } = sources;
  const pages = new Semaphore(PAGES);
  return {
    async handle({ request, response }) {
      const { contentType, format } = negotiateFormat(request);
      if (request.method === 'HEAD') return void (await streamResponse(response, [], clock, { contentType }));

      const release = await pages.acquire(response);
      if (release === null) return refused(gate.admission.refuse(response));
      try {
        const chunks = await metrics.page(format, readMetrics(await collectState(sources)));
        return void (await streamResponse(response, chunks, clock, { contentType }));
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

function hideDetails({ checks }: Readiness): ReadinessReport {
  const shown = Object.entries(checks).map(([name, { ok }]) => [name, { ok }]);
  return { checks: Object.fromEntries(shown) };
}

function logReadiness(log: ServiceLog, { checks }: Readiness): void {
  const failing = Object.entries(checks).filter(([, { ok }]) => !ok);
  if (failing.length === 0) log.recovered('The service is ready again.', {}, READINESS);
  else log.warn('The service is not ready.', Object.fromEntries(failing), READINESS);
}
