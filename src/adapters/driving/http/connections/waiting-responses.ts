import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Server } from '../server-type.ts';

/**
 * Has every response emit `close` when its connection has closed. Node does so for the one that is being sent, and not for those that wait behind it on the same connection (RFC 9112 §9.3.2, pipelining): whoever
 * gives something back when a response closes would keep it for ever.
 */
export function closeWaitingResponses(server: Server): void {
  const waiting = new WeakMap<Duplex, Set<ServerResponse>>();
  server.prependListener('request', ({ socket }, response) => {
    // It has its socket already: it is the one that is being sent, as all are of the callers that don't pipeline.
    if (response.socket !== null) return;
    const responses = waiting.get(socket) ?? watch(socket);
    waiting.set(socket, responses);
    responses.add(response);
    response.once('close', () => responses.delete(response));
  });
}

function watch(socket: Duplex): Set<ServerResponse> {
  const responses = new Set<ServerResponse>();
  // By now one of them may be the one that is being sent; Node's own listener may come later, and none must close twice.
  socket.once('close', () =>
    setImmediate(() => {
      for (const response of responses) response.destroy().emit('close');
    }),
  );
  return responses;
}
