import type { ServerResponse } from 'node:http';
import { Turns } from '../../../domain/services/turns.ts';
import type { Clock } from '../../../ports/clock.ts';
import { JSON_CONTENT_TYPE } from './envelope.ts';

/** How long a caller may take to read what was sent before more is, milliseconds. */
const READING_MS = 30_000;

/**
 * Answers 200 with texts that are JSON together, too long to be made or held at once: each is made when the caller has read those before, in turns with other requests. A caller who goes away, or reads nothing for
 * half a minute, gets no more.
 */
export async function answerInSlices(
  response: ServerResponse,
  texts: Iterable<string>,
  clock: Clock,
  readingMs = READING_MS,
): Promise<void> {
  response.statusCode = 200;
  response.setHeader('Content-Type', JSON_CONTENT_TYPE);
  const turns = new Turns(clock);
  for (const text of texts) {
    if (!response.write(text) && !(await isRead(response, readingMs))) response.destroy();
    if (response.destroyed) return;
    await turns.pause();
  }
  response.end();
}

/** Waits until what was written has gone out; false when the caller went away or takes too long. */
function isRead(response: ServerResponse, readingMs: number): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (isOut: boolean) => {
      clearTimeout(timer);
      response.off('drain', onDrain).off('close', onClose);
      resolve(isOut);
    };
    const onDrain = () => end(true);
    const onClose = () => end(false);
    const timer = setTimeout(onClose, readingMs);
    response.once('drain', onDrain).once('close', onClose);
  });
}
