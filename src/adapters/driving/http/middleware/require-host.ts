import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { answerRefusal } from '../envelope.ts';
import { malformed } from '../http-refusal.ts';

/**
 * HTTP/1.1 requests have one Host header, and none has two (RFC 9112 §3.2): a proxy before this service could read the other one. Node takes the first of several, and would refuse a request without with an empty body.
 */
export const requireHost: RequestHandler = (request, response, next) => {
  const { httpVersion } = request;
  const count = hostCount(request);
  if (count === 1 || (count === 0 && httpVersion !== '1.1')) return next();
  answerRefusal(response, malformed('', count === 0 ? 'must have a Host header' : 'must have one Host header'));
};

/** Names and values take turns. */
function hostCount({ rawHeaders }: IncomingMessage): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (isHost(rawHeaders[at])) count += 1;
  return count;
}

function isHost(name: string | undefined): boolean {
  return name !== undefined && name.length === 4 && name.toLowerCase() === 'host';
}
