import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from '../server-type.ts';

/** Responses to requests that wait for `100 Continue` before they send their body. */
const WAITING = new WeakMap<IncomingMessage, ServerResponse>();

/** Has a caller who sends `Expect: 100-continue` (RFC 9110 §10.1.1) asked for its body when that is about to be read, and not before it is known whether the request is refused. */
export function holdContinue(server: Server): void {
  server.on('checkContinue', (request, response) => {
    WAITING.set(request, response);
    server.emit('request', request, response);
  });
}

/** Says that the body is read from now on, where the caller waits to be told. */
export function askForBody(request: IncomingMessage): void {
  const response = WAITING.get(request);
  if (response === undefined || response.headersSent) return;
  WAITING.delete(request);
  response.writeContinue();
}
