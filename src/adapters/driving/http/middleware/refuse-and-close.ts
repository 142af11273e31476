import type { RequestHandler } from 'express';
import { answerRefusal } from '../envelope.ts';
import type { HttpRefusal } from '../http-refusal.ts';

/** Connections that end with the answer to a request that was refused. */
const CLOSING = new WeakSet<object>();

/** Refuses a request and closes its connection: what follows there is neither answered nor done. */
export function refuseAndClose(
  isServed: (request: Parameters<RequestHandler>[0]) => boolean,
  refusal: HttpRefusal,
): RequestHandler {
  return (request, response, next) => {
    const { socket } = request;
    // Node hands on what came in one piece with the request that was refused.
    if (CLOSING.has(socket)) return void response.destroy();
    if (isServed(request)) return next();
    CLOSING.add(socket);
    response.setHeader('Connection', 'close');
    answerRefusal(response, refusal);
  };
}
