import type { RequestHandler } from 'express';
import { answerRefusal } from '../envelope.ts';
import type { HttpRefusal } from '../http-refusal.ts';

/** Refuses a request and closes its connection: what follows there is neither answered nor done. */
export function refuseAndClose(
  isServed: (request: Parameters<RequestHandler>[0]) => boolean,
  refusal: HttpRefusal,
): RequestHandler {
  return (request, response, next) => {
    if (isServed(request)) return next();
    response.setHeader('Connection', 'close');
    answerRefusal(response, refusal);
  };
}
