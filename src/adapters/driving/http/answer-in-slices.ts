import type { ServerResponse } from 'node:http';
import { TimeSlice } from '../../../domain/services/time-slice.ts';
import type { Clock } from '../../../ports/clock.ts';
import { answerSignerOf, signAnswer } from './authentication/answer-signer.ts';
import { JSON_CONTENT_TYPE } from './envelope.ts';

/** How long a caller may take to read what was sent before more is, milliseconds. */
const READING_MS = 30_000;

/** How long all of it may take, milliseconds: 20 MB at 170 kB a second. Few such answers are under way at once, so that who reads a little now and then would keep others from theirs. */
const WHOLE_MS = 120_000;

/**
 * Answers 200 with texts that are one together, JSON unless told otherwise, too long to be made or held at once: each is made when the caller has read those before, in turns with other requests. A caller who goes away, or reads nothing for
 * half a minute, or takes more than two minutes for all of it, gets no more. For a caller whose answers are signed they are all made first, since the signature goes before them.
 */
export async function answerInSlices(
  response: ServerResponse,
  texts: Iterable<string>,
  clock: Clock,
  { readingMs = READING_MS, wholeMs = WHOLE_MS, contentType = JSON_CONTENT_TYPE } = {},
): Promise<void> {
  const until = performance.now() + wholeMs;
  response.statusCode = 200;
  response.setHeader('Content-Type', contentType);
  const slice = new TimeSlice(clock);
  for (const text of await signedFirst(response, texts, slice)) {
    const leftMs = Math.min(readingMs, until - performance.now());
    if (text !== '' && !response.write(text) && !(await isRead(response, leftMs))) response.destroy();
    if (response.destroyed) return;
    await slice.yieldIfExpired();
  }
  response.end();
}

async function signedFirst(
  response: ServerResponse,
  texts: Iterable<string>,
  slice: TimeSlice,
): Promise<Iterable<string>> {
  if (answerSignerOf(response) === null) return texts;
  const made: string[] = [];
  for (const text of texts) {
    made.push(text);
    await slice.yieldIfExpired();
    if (response.destroyed) return made;
  }
  // Asked once more: the caller may have gone meanwhile, and the service stopped, its key wiped.
  const signer = answerSignerOf(response);
  if (signer !== null) signAnswer(response, signer, made);
  return made;
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
