import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Has the requests of one connection worked on one at a time, in their order. A caller may send more before the answers come (RFC 9112 §9.3.2, pipelining); whoever sends many at once on many connections is so one
 * caller for each connection, as others are, and can be held back as they are.
 */
export class ConnectionTurns {
  /** Of the last request on each connection. Nothing else is kept or listened to for the callers that don't pipeline: nearly all. */
  readonly #last = new WeakMap<Socket, ServerResponse>();

  /** @param begin called now, or when it is the request's turn; never when the connection has closed by then */
  take(response: ServerResponse, begin: () => void): void {
    const { socket } = response.req;
    const before = this.#last.get(socket);
    this.#last.set(socket, response);
    if (before === undefined || before.closed) {
      begin();
      return;
    }
    const beginIfOpen = () => {
      if (!socket.destroyed) begin();
    };
    // In a later turn of the event loop, so that a long row of requests that are answered at once is no long work.
    before.once('close', () => setImmediate(beginIfOpen));
  }
}
