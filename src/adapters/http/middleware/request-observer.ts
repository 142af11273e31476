import type { Request, Response } from 'express';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { CallContext } from '../../../domain/model/sign-request.ts';
import type { EndedRequest, FailureReason } from '../../../ports/metrics.ts';
import type { Ports } from '../../../ports/ports.ts';
import { getCallContext, getCalledPlatform } from '../call-context.ts';
import { getRefusal } from '../responses.ts';
import { getRoutePattern, ROUTES } from '../route.ts';

const COMPLETED = 'Request completed.';

/** For unmatched paths, which the caller wrote. */
const UNMATCHED = '(none)';

const OK = 200;
const POLLED_ROUTES: ReadonlySet<string> = new Set(
  [ROUTES.isAlive, ROUTES.isReady, ROUTES.getMetrics, ROUTES.getStatus].map(({ path }) => path),
);

const SERVER_ERROR = 500;

/** Get ended requests: metrics all of them, log and traces those marked by {@link observeBy}. */
export interface Observers extends Pick<Ports, 'metrics' | 'traces' | 'log'> {
  /** Whether the log has a line for each request, else only for failed ones. */
  readonly logRequests: boolean;
}

/** Has the end of a request reported to the log or to tracing as well. */
export function observeBy(observer: 'log' | 'traces', response: Response): void {
  response.locals[observer] = true;
}

/** Reports a request once its response or connection is closed. */
export function observeRequest(request: Request, response: Response, observers: Observers): void {
  const { metrics, traces } = observers;
  const startedAt = performance.now();
  response.once('close', () => {
    const ended = toEndedRequest(request, response, startedAt);
    const context = getCallContext(response);
    metrics.requestEnded(ended);
    if (response.locals['traces'] === true) {
      const { correlationId, traceparent } = context;
      traces?.requestEnded({ ...ended, correlationId, traceparent, platformId: getCalledPlatform(response) });
    }
    if (response.locals['log'] === true) logEnded(observers, ended, context);
  });
}

function toEndedRequest(request: Request, response: Response, startedAt: number): EndedRequest {
  const refusal = getRefusal(response);
  return {
    method: request.method,
    route: getRoutePattern(request),
    status: response.writableFinished ? response.statusCode : null,
    failure: refusal === undefined ? null : toFailureReason(refusal),
    durationMs: performance.now() - startedAt,
  };
}

/** Code and reason of a refusal; for a limit, its scope. */
export function toFailureReason({ code, details }: Refusal): FailureReason {
  const reason = details['reason'] ?? details['scope'];
  return { code, reason: typeof reason === 'string' ? reason : null };
}

/**
 * One line per response, without body, query or account ID. Skips successful probes, scrapes and
 * reads of the status, which monitoring and the console repeat every few seconds.
 */
function logEnded(
  { log, logRequests }: Observers,
  { method, route, status, failure, durationMs }: EndedRequest,
  { remoteAddress, principal, correlationId, traceparent }: CallContext,
): void {
  if (!logRequests && (status === null || status < SERVER_ERROR)) return;
  if (route !== null && POLLED_ROUTES.has(route) && status === OK) return;
  const facts: { [name: string]: unknown } = { method, route: route ?? UNMATCHED, status };
  if (failure !== null) facts['errorCode'] = failure.code;
  facts['durationMs'] = Math.round(durationMs * 1000) / 1000;
  facts['remoteAddress'] = remoteAddress;
  if (principal !== null) facts['principal'] = principal;
  facts['correlationId'] = correlationId;
  if (traceparent !== null) facts['traceparent'] = traceparent;
  const cause = `${route ?? UNMATCHED} ${failure?.code}`;
  if (!logRequests) log.info(COMPLETED, facts, { topic: 'failed requests', cause });
  else log.info(status === null ? 'Connection closed before the response was sent.' : COMPLETED, facts);
}
