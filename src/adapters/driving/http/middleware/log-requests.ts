import type { RequestHandler } from 'express';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { callContextOf } from '../callers/call-context.ts';
import { refusedWith } from '../envelope.ts';
import { HEALTH_PATHS, METRICS_PATH, routePatternOf } from '../route.ts';

/** Stands for the path of a request that no route took: what the caller wrote there stays out of the log. */
const NO_ROUTE = '(none)';

const OK = 200;
const ASKED_ALWAYS: ReadonlySet<string> = new Set([...Object.values(HEALTH_PATHS), METRICS_PATH]);

/** One line for each request once its answer is out: never a body, a query or the id of an account. A question for health that was answered with yes is not worth one, nor are metrics that were given. */
export function logRequests(log: ServiceLog): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const route = routePatternOf(request) ?? NO_ROUTE;
      if (ASKED_ALWAYS.has(route) && response.statusCode === OK) return;
      const { correlationId, traceparent, remoteAddress, principal } = callContextOf(response);
      const isAnswered = response.writableFinished;
      const errorCode = refusedWith(response)?.code;
      const facts: { [name: string]: string | number | null } = {
        method: request.method,
        route,
        status: isAnswered ? response.statusCode : null,
      };
      if (errorCode !== undefined) facts['errorCode'] = errorCode;
      facts['durationMs'] = Math.round((performance.now() - startedAt) * 1000) / 1000;
      facts['remoteAddress'] = remoteAddress;
      if (principal !== null) facts['principal'] = principal;
      facts['correlationId'] = correlationId;
      if (traceparent !== null) facts['traceparent'] = traceparent;
      log.info(isAnswered ? 'Request answered.' : 'Request cut off before it was answered.', facts);
    });
    next();
  };
}
