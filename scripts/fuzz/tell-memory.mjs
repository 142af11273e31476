import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';

/* Loaded into a service under fire (node --expose-gc): at SIGWINCH, which is nothing to the service, it collects its garbage and writes what is left to FUZZ_MEMORY_FILE, as a line of JSON in bytes. */

/** Pages of what was collected are given back beside the program, milliseconds. */
const GIVING_BACK_MS = 300;

process.on('SIGWINCH', async () => {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  await sleep(GIVING_BACK_MS);
  const { rss, heapTotal } = process.memoryUsage();
  appendFileSync(
    process.env.FUZZ_MEMORY_FILE,
    `${JSON.stringify({ live: heapUsed + external, native: rss - heapTotal })}\n`,
  );
});
