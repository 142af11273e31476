import type { ServerResponse } from 'node:http';
import type { Server } from '../server-type.ts';

/** How long a caller may take to read an answer that is complete, milliseconds. */
const READING_MS = 30_000;

/** Cuts the connection of a caller who does not read its answer, so that answers don't pile up in memory. Those that are still being made look after that themselves. */
export function cutSlowReaders(server: Server, readingMs = READING_MS): void {
  const onPrefinish = function (this: ServerResponse): void {
    cutLater(this, readingMs);
  };
  server.prependListener('request', (_request, response) => {
    response.on('prefinish', onPrefinish);
  });
}

/** From when the whole answer was handed to the socket, until the system has taken it. */
function cutLater(response: ServerResponse, readingMs: number): void {
  // It was ended after its connection had gone: neither event comes any more, and a timer would keep the connection and all that waited on it.
  if (response.destroyed) return;
  // The system has taken it already, as it takes nearly all at once.
  if (response.socket?.writableLength === 0) return;
  const timer = setTimeout(() => response.destroy(), readingMs).unref();
  const stop = () => clearTimeout(timer);
  response.once('finish', stop).once('close', stop);
}
