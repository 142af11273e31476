import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Loaded into a fuzzed service (node --expose-gc). On SIGWINCH, which the service ignores, collects
 * garbage and appends memory use in bytes to FUZZ_MEMORY_FILE as a JSON line.
 */

/** Freed pages are released in the background. */
const RELEASE_MS = 300;

process.on('SIGWINCH', async () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  await sleep(RELEASE_MS);
  const { rss, heapTotal } = process.memoryUsage();
  appendFileSync(
    process.env.FUZZ_MEMORY_FILE,
    `${JSON.stringify({ rss, live: heapUsed + external, native: rss - heapTotal })}\n`,
  );
});
