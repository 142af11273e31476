import type { RequestHandler } from 'express';
import { answerRefusal } from '../envelope.ts';
import { malformed } from '../http-refusal.ts';

/** HTTP/1.1 requests need a Host header (RFC 9112 §3.2). Node would refuse them as well, with an empty body. */
export const requireHost: RequestHandler = (request, response, next) => {
  if (request.headers.host !== undefined || request.httpVersion !== '1.1') return next();
  answerRefusal(response, malformed('', 'must have a Host header'));
};
