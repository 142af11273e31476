import type { ServerResponse } from 'node:http';
import { TimeSlice } from '../../domain/flow/time-slice.ts';
import type { Clock } from '../../ports/clock.ts';
import { READ_TIMEOUT_MS } from './limits.ts';
import { getResponseSigner, signResponse } from './response-signature.ts';
import { JSON_CONTENT_TYPE } from './responses.ts';

/**
 * Maximum duration, milliseconds: 20 MB at 170 kB a second. Slow readers would block the few
 * streams.
 */
const TOTAL_TIMEOUT_MS = 120_000;

type Chunks = Iterable<string> | AsyncIterable<string>;

/**
 * Responds 200 with a text too long to hold: makes each chunk once the caller has read the last,
 * and yields between. Cuts off slow callers. Signed responses are made first, since the signature
 * is a header.
 */
export async function streamResponse(
  response: ServerResponse,
  chunks: Chunks,
  clock: Clock,
  { readTimeoutMs = READ_TIMEOUT_MS, totalTimeoutMs = TOTAL_TIMEOUT_MS, contentType = JSON_CONTENT_TYPE } = {},
): Promise<void> {
  const deadline = performance.now() + totalTimeoutMs;
  response.statusCode = 200;
  response.setHeader('Content-Type', contentType);
  const slice = new TimeSlice(clock);
  for await (const chunk of await signAll(response, chunks, slice)) {
    const leftMs = Math.min(readTimeoutMs, deadline - performance.now());
    if (chunk !== '' && !response.write(chunk) && !(await isDrained(response, leftMs))) response.destroy();
    if (response.destroyed) return;
    await slice.yieldIfExpired();
  }
  response.end();
}

async function signAll(response: ServerResponse, chunks: Chunks, slice: TimeSlice): Promise<Chunks> {
  if (getResponseSigner(response) === null) return chunks;
  const rendered: string[] = [];
  for await (const chunk of chunks) {
    rendered.push(chunk);
    await slice.yieldIfExpired();
    if (response.destroyed) return rendered;
  }
  // The caller may have gone, and a stop have wiped the key.
  signResponse(response, rendered);
  return rendered;
}

/** Waits until data is sent; false if the caller left or is too slow. */
function isDrained(response: ServerResponse, readTimeoutMs: number): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (isSent: boolean) => {
      clearTimeout(timer);
      response.off('drain', onDrain).off('close', onClose);
      resolve(isSent);
    };
    const onDrain = () => end(true);
    const onClose = () => end(false);
    const timer = setTimeout(onClose, readTimeoutMs);
    response.once('drain', onDrain).once('close', onClose);
  });
}
