import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Has the requests of one connection worked on one at a time, in their order. A caller may send more before the answers come (RFC 9112 §9.3.2, pipelining); whoever sends many at once on many connections is so one
 * caller for each connection, as others are, and can be held back as they are.
 */
export class ConnectionTurns {
  /** By connection on which a request is being worked on: those that wait for it. */
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();

  /** @param begin called now, or when it is the request's turn; never when the connection has closed by then */
  take(response: ServerResponse, begin: () => void): void {
    const { socket } = response.req;
    const own = () => {
      // Whoever holds the connection back once the answer is out does so first.
      response.once('close', () => setImmediate(() => setImmediate(() => this.#next(socket))));
      begin();
    };
    const waiting = this.#waiting.get(socket);
    if (waiting !== undefined) {
      waiting.push(own);
      return;
    }
    this.#waiting.set(socket, []);
    own();
  }

  #next(socket: Socket): void {
    const next = socket.destroyed ? undefined : this.#waiting.get(socket)?.shift();
    if (next === undefined) this.#waiting.delete(socket);
    else next();
  }
}
