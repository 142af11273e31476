import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from '../server.ts';

/** Requests that wait for `100 Continue` before they send their body. */
const AWAITING_CONTINUE = new WeakMap<IncomingMessage, ServerResponse>();

/**
 * Sends `100 Continue` (RFC 9110 §10.1.1) just before the body is read, so not to refused requests.
 */
export function deferContinue(server: Server): void {
  server.on('checkContinue', (request, response) => {
    AWAITING_CONTINUE.set(request, response);
    server.emit('request', request, response);
  });
}

/** Sends `100 Continue` if the caller waits for it. */
export function sendContinue(request: IncomingMessage): void {
  const response = AWAITING_CONTINUE.get(request);
  if (response === undefined || response.headersSent) return;
  AWAITING_CONTINUE.delete(request);
  response.writeContinue();
}
