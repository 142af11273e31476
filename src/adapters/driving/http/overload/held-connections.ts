import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How long a connection is held back at most, milliseconds. */
const MOST_MS = 1000;

/** Time between two looks at who is read again, milliseconds. */
const LOOK_MS = 5;

/** Connections that are read again with each look: two thousand a second, which is what refusals may cost of a processor: about a tenth. */
const READ_AGAIN = 10;

interface Held {
  /** Requests that came meanwhile all the same. */
  readonly parked: (() => void)[];
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
    response.once('close', () => this.#hold(socket));
  }

  /**
   * Has a request wait that came on a connection which is held back, with the one that was refused or behind it. False where the connection is not held.
   * @param goOn called when the connection is read again
   */
  park(socket: Socket, goOn: () => void): boolean {
    const held = this.#held.get(socket);
    held?.parked.push(goOn);
    return held !== undefined;
  }

  #hold(socket: Socket): void {
    if (socket.destroyed || this.#held.has(socket)) return;
    // At once, so that a request which was sent meanwhile is parked and not worked on.
    this.#held.set(socket, { socket, until: performance.now() + MOST_MS, parked: [] });
    setImmediate(() => this.#pause(socket));
    this.#timer ??= setInterval(() => this.#readAgain(), LOOK_MS).unref();
  }

  /** Node goes on reading when the answer is out, and in the turn after it the last thing that could is over. By then, the connection may be one that is to be read again. */
  #pause(socket: Socket): void {
    if (this.#held.has(socket)) socket.pause();
  }

  #readAgain(): void {
    const now = performance.now();
    let count = 0;
    for (const { socket, until, parked } of this.#held.values()) {
      if (count >= READ_AGAIN && until > now) break;
      this.#held.delete(socket);
      socket.resume();
      if (!socket.destroyed) for (const goOn of parked) goOn();
      count += 1;
    }
    if (this.#held.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
