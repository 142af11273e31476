import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Time for a peer to read the last response, milliseconds. */
const LINGER_MS = 1000;

/** Whether the announced body of a request has not arrived completely. */
export function isBodyArriving({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0);
}

/**
 * Closes the connection behind a response to a request whose body has not arrived (RFC 9112 §9.3),
 * without reading the rest: that would take time from signing. To be called before the head of each
 * response is written.
 */
export function closeBehindUnreadBody(response: ServerResponse): void {
  const { req: request, socket } = response;
  if (socket === null || !isBodyArriving(request)) return;
  response.setHeader('Connection', 'close');
  // Node ends the connection by this method once the response is sent, and resumes an unused body.
  socket.destroySoon = () => {
    closeGracefully(socket);
    setImmediate(() => socket.pause());
  };
}

/**
 * Ends a connection without a reset, which could discard data that the peer has not read: destroys
 * the socket once the peer has had time for the response.
 */
export function closeGracefully(socket: Duplex): void {
  socket.end();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
