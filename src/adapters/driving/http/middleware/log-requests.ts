import type { Request, RequestHandler } from 'express';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { callContextOf } from '../callers/call-context.ts';
import { refusedWith } from '../envelope.ts';
import { HEALTH_PATHS } from '../route.ts';

/** Stands for the path of a request that no route took: what the caller wrote there stays out of the log. */
const NO_ROUTE = '(none)';

const OK = 200;
const HEALTH_ROUTES: ReadonlySet<string> = new Set(Object.values(HEALTH_PATHS));

/** One line for each request once its answer is out: never a body, a query or the id of an account. A question for health that was answered with yes is not worth one. */
export function logRequests(log: ServiceLog): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    response.once('close', () => {
      const route = routePattern(request);
      if (HEALTH_ROUTES.has(route) && response.statusCode === OK) return;
      const { correlationId, traceparent, remoteAddress, principal } = callContextOf(response);
      const errorCode = refusedWith(response);
      log.info(response.writableFinished ? 'Request answered.' : 'Request cut off before it was answered.', {
        method: request.method,
        route,
        status: response.statusCode,
        ...(errorCode !== undefined && { errorCode }),
        durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
        remoteAddress,
        ...(principal !== null && { principal }),
        correlationId,
        ...(traceparent !== null && { traceparent }),
      });
    });
    next();
  };
}

function routePattern(request: Request): string {
  const route = request.route as { readonly path: string } | undefined;
  return route?.path ?? NO_ROUTE;
}
