import type { ErrorRequestHandler } from 'express';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { callContextOf } from '../callers/call-context.ts';
import { answerRefusal } from '../envelope.ts';
import { internalError, notFound } from '../http-refusal.ts';

/** Answers what was thrown: the cause goes to the service log, and nothing of it to the caller. */
export function answerErrors(log: ServiceLog): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    if (isMalformedPath(error)) return answerRefusal(response, notFound());
    const { correlationId } = callContextOf(response);
    log.error('A request met an unexpected error.', { method: request.method, correlationId, cause: error });
    if (response.headersSent) response.destroy();
    else answerRefusal(response, internalError());
  };
}

/** Express's own error for a path whose percent-encoding can't be decoded. */
function isMalformedPath(error: unknown): boolean {
  return error instanceof URIError && 'status' in error && error.status === 400;
}
