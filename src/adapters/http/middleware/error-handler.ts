import type { ErrorRequestHandler } from 'express';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { getCallContext } from '../call-context.ts';
import { respondWithRefusal } from '../envelope.ts';
import { internalError } from '../http-refusal.ts';

/** Logs an unexpected error and responds without its cause. */
export function errorHandler(log: ServiceLog): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    const { correlationId } = getCallContext(response);
    log.error('Unhandled error while serving a request.', { method: request.method, correlationId, cause: error });
    if (response.headersSent) response.destroy();
    else respondWithRefusal(response, internalError());
  };
}

/** Treats an undecodable path as unknown, so that its caller is authenticated first. */
export const routeUndecodablePath: ErrorRequestHandler = (error, _request, _response, next) => {
  const isUndecodable = error instanceof URIError && 'status' in error && error.status === 400;
  next(isUndecodable ? undefined : error);
};
