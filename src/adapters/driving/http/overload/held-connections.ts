import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long a connection is held back at most, milliseconds. */
const MOST_MS = 1000;

/** Time between two looks at who is read again, milliseconds. */
const LOOK_MS = 5;

/** Connections that are read again with each look: two thousand a second, which is what refusals may cost of a processor: about a tenth. */
const READ_AGAIN = 10;

interface Held {
  readonly socket: Socket;
  readonly until: number;
}

/**
 * Connections on which a request was refused, and from which nothing is read for a moment: refusing takes time as well, and callers who come back at once, sooner than told, would take it from those who are served. Few
 * of them are read again soon, many in turn, each after a second at the latest.
 */
export class HeldConnections {
  /** First held, first read again. */
  readonly #held = new Map<Socket, Held>();
  #timer: NodeJS.Timeout | undefined;

  /** Holds the connection back once the answer is out. */
  holdAfter(response: ServerResponse): void {
    // Of a response that waits behind others of its connection, the socket is known to its request alone.
    const { socket } = response.req;
    // Node goes on reading when the answer is out, and in the turn after it the last thing that could is over.
    response.once('close', () => setImmediate(() => this.#hold(socket)));
  }

  #hold(socket: Socket): void {
    if (socket.destroyed || this.#held.has(socket)) return;
    socket.pause();
    this.#held.set(socket, { socket, until: performance.now() + MOST_MS });
    this.#timer ??= setInterval(() => this.#readAgain(), LOOK_MS).unref();
  }

  #readAgain(): void {
    const now = performance.now();
    let count = 0;
    for (const { socket, until } of this.#held.values()) {
      if (count >= READ_AGAIN && until > now) break;
      this.#held.delete(socket);
      socket.resume();
      count += 1;
    }
    if (this.#held.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
