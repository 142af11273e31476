import type { RequestHandler } from 'express';
import { openCall } from '../call-context.ts';

/** Response header that carries the correlationId of the audit records and log lines. */
const CORRELATION_HEADER = 'X-Correlation-Id';

/** Gives each request its identity, before anything can answer it. */
export const openCalls: RequestHandler = (request, response, next) => {
  const { correlationId } = openCall(request, response);
  response.setHeader(CORRELATION_HEADER, correlationId);
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  next();
};
