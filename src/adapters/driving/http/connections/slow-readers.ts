import type { ServerResponse } from 'node:http';
import type { Server } from '../server-type.ts';
import { whenClosed } from '../when-closed.ts';

/** How long a caller may take to read an answer that is complete, milliseconds. */
const READING_MS = 30_000;

/** Cuts the connection of a caller who does not read its answer, so that answers don't pile up in memory. Those that are still being made look after that themselves. */
export function cutSlowReaders(server: Server, readingMs = READING_MS): void {
  const unread = new UnreadAnswers(readingMs);
  const onPrefinish = function (this: ServerResponse): void {
    unread.watch(this);
  };
  server.prependListener('request', (_request, response) => {
    response.on('prefinish', onPrefinish);
  });
}

/** Answers from when the whole of each was handed to the socket, until the system has taken it. */
class UnreadAnswers {
  readonly #readingMs: number;
  /** When each is cut, on the clock of `performance.now()`: in the order in which they came. */
  readonly #cutAt = new Map<ServerResponse, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(readingMs: number) {
    this.#readingMs = readingMs;
  }

  watch(response: ServerResponse): void {
    // It was ended after its connection had gone: it closes no more, and would be kept with all that waited on it.
    if (response.destroyed) return;
    // The system has taken it already, as it takes nearly all at once where there is no TLS between.
    if (response.socket?.writableLength === 0) return;
    this.#cutAt.set(response, performance.now() + this.#readingMs);
    whenClosed(response, () => this.#cutAt.delete(response));
    this.#timer ??= this.#lookAgainIn(this.#readingMs);
  }

  /** One timer for all: to set one for each answer, and to take it away again, takes a microsecond. */
  #lookAgainIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#cut(), ms).unref();
  }

  #cut(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (const [response, cutAt] of this.#cutAt) {
      if (cutAt > now) {
        this.#timer = this.#lookAgainIn(Math.ceil(cutAt - now));
        return;
      }
      this.#cutAt.delete(response);
      response.destroy();
    }
  }
}
