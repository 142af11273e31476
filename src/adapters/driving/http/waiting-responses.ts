import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Server } from './server-type.ts';

/**
 * Has every response emit `close` when its connection has closed. Node does so for the one that is being sent, and not for those that wait behind it on the same connection (RFC 9112 §9.3.2, pipelining): whoever
 * gives something back when a response closes would keep it for ever.
 */
export function closeWaitingResponses(server: Server): void {
  const waiting = new WeakMap<Duplex, Set<ServerResponse>>();
  server.prependListener('request', ({ socket }, response) => {
    const responses = waiting.get(socket) ?? watch(socket);
    waiting.set(socket, responses);
    responses.add(response);
    response.once('close', () => responses.delete(response));
  });
}

function watch(socket: Duplex): Set<ServerResponse> {
  const responses = new Set<ServerResponse>();
  // Node's own listener may have been added later, and the one that is being sent must not close twice.
  socket.once('close', () =>
    setImmediate(() => {
      for (const response of responses) response.destroy().emit('close');
    }),
  );
  return responses;
}
