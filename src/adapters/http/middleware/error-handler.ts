import type { ErrorRequestHandler } from 'express';
import { CallerLeftError } from '../../../domain/model/errors.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { getCallContext } from '../call-context.ts';
import { refuseRequest } from '../refusals.ts';
import { respondWithRefusal } from '../responses.ts';
import { getRoutePattern } from '../route.ts';

/** Identifies a cause. Not for the log: its message may contain anything. */
export function describeCause(cause: unknown): string {
  return cause instanceof Error ? `${cause.name} ${cause.message}` : typeof cause;
}

/**
 * Logs an unexpected error, at most once a minute, and responds without its cause; to a caller that
 * has left, not at all.
 */
export function errorHandler(log: ServiceLog): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    if (error instanceof CallerLeftError) return;
    const { correlationId } = getCallContext(response);
    const { method } = request;
    const route = getRoutePattern(request);
    const throttling = { topic: 'unhandled errors', cause: `${method} ${route} ${describeCause(error)}` };
    const facts = { method, route, correlationId, cause: error };
    log.error('Unhandled error while serving a request.', facts, throttling);
    if (response.headersSent) response.destroy();
    else respondWithRefusal(response, refuseRequest('InternalError'));
  };
}
