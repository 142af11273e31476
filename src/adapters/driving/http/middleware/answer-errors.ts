import type { ErrorRequestHandler } from 'express';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { callContextOf } from '../callers/call-context.ts';
import { answerRefusal } from '../envelope.ts';
import { internalError } from '../http-refusal.ts';

/**
 * Responds to what was thrown: the cause goes to the service log, and nothing of it to the caller.
 */
export function answerErrors(log: ServiceLog): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const { correlationId } = callContextOf(response);
    log.error('A request met an unexpected error.', { method: request.method, correlationId, cause: error });
    if (response.headersSent) response.destroy();
    else answerRefusal(response, internalError());
  };
}

/**
 * Has a path that Express can't decode go on as one of no route, so that its caller is
 * authenticated first.
 */
export const takeUndecodable: ErrorRequestHandler = (error, _request, _response, next) => {
  const isUndecodable = error instanceof URIError && 'status' in error && error.status === 400;
  next(isUndecodable ? undefined : error);
};
