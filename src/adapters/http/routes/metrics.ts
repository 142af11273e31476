import type { Request } from 'express';
import type { RateLimitState, TrafficState } from '../../../domain/model/service-state.ts';
import type { MonitoringService } from '../../../domain/services/monitoring-service.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { MetricsFormat } from '../../../ports/metrics.ts';
import { Semaphore } from '../admission/semaphore.ts';
import type { SigningIntake } from '../admission/signing-intake.ts';
import type { RateLimits } from '../app-dependencies.ts';
import type { AuthFailureLimiter } from '../callers/auth-failure-limiter.ts';
import type { CallerRateLimiter } from '../callers/caller-rate-limiter.ts';
import { respondWithRefusal } from '../envelope.ts';
import type { RefusalRecorder } from '../refusal-recorder.ts';
import { METRICS_PATH, type Route } from '../route.ts';
import { streamResponse } from '../stream-response.ts';
import type { ForwardedClients } from '../tls/forwarded-clients.ts';
import { getTlsState, type ServerTls } from '../tls/server-tls.ts';

/** Concurrent pages; with 100,000 accounts one takes seconds. */
const PAGES = { permits: 2, maxWaiting: 16, maxWaitMs: 5000 };

const CONTENT_TYPES: { readonly [Format in MetricsFormat]: string } = {
  text: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** Dependencies of the metrics route. */
export interface MetricsRouteDependencies {
  readonly monitoring: MonitoringService;
  readonly traffic: TrafficSources;
  readonly intake: SigningIntake;
  readonly clock: Clock;
}

/**
 * `GET /metrics`: metrics for Prometheus.
 * @param refusals for callers without permission; null if the port is open
 */
export function metricsRoute(
  { monitoring, traffic, intake, clock }: MetricsRouteDependencies,
  refusals: RefusalRecorder | null,
): Route {
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
        const chunks = await monitoring.page(format, () => getTrafficState(traffic));
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

/** The parts of the server that monitoring shows. */
export interface TrafficSources {
  readonly intake: SigningIntake;
  readonly maxInFlight: number;
  readonly maxQueue: number;
  readonly limits: CallerRateLimiter | null;
  readonly failures: AuthFailureLimiter;
  readonly rateLimits: RateLimits;
  /** Null for HTTP. */
  readonly tls: ServerTls | null;
  /** Null unless proxies may forward client certificates. */
  readonly forwarded: ForwardedClients | null;
}

/** The current load of the server. */
function getTrafficState(parts: TrafficSources): TrafficState {
  const { intake, maxInFlight, maxQueue, limits, failures, rateLimits, tls, forwarded } = parts;
  const { inFlight, queued, heldBytes, refused } = intake.load;
  return {
    ...{ inFlight, maxInFlight, queued, maxQueue, heldBytes },
    overloaded: refused,
    limitedCallers: limits?.refused ?? 0,
    limitedAuthentications: failures.refused,
    rateLimits: toRateLimitState(rateLimits),
    tls: getTlsState(tls, tls?.clients ?? forwarded?.trust ?? null),
  };
}

function toRateLimitState({ callers, accounts }: TrafficSources['rateLimits']): RateLimitState | null {
  const limiter = callers ?? accounts;
  if (limiter === null) return null;
  const { budget, sharing } = limiter;
  return {
    perCaller: callers?.budget.points ?? null,
    perAccount: accounts?.budget.points ?? null,
    windowSeconds: budget.windowSeconds,
    isShared: sharing.mode === 'shared',
    isCurrent: sharing.mode === 'alone' || sharing.state === 'current',
  };
}
