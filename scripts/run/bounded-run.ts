import { print } from '../../tests/harness/print.ts';

/** Cleanup steps, each run once, in reverse. */
export class Cleanup {
  readonly #steps: (() => Promise<void> | void)[] = [];

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.splice(0).reverse()) await step();
  }
}

/**
 * Runs a script with cleanup, also on timeout and signals. Exits with 0 if `work` resolves to true,
 * else with 1.
 * @param limitMs timeout
 */
export async function runBounded(limitMs: number, work: (cleanup: Cleanup) => Promise<boolean>): Promise<never> {
  const cleanup = new Cleanup();
  const failed = (reason: string): false => {
    print(`FAILED: ${reason}`);
    return false;
  };
  let isOver = false;
  const working = work(cleanup).catch((error) => {
    // Cleanup breaks work in progress; its errors are expected.
    if (isOver) return false;
    return failed(error instanceof Error ? String(error.stack) : String(error));
  });
  const isShown = await Promise.race([working, interruption(limitMs, failed)]);
  isOver = true;
  await cleanup.run();
  // Interrupted work may keep the process alive.
  process.exit(isShown ? 0 : 1);
}

function interruption(limitMs: number, failed: (reason: string) => false): Promise<false> {
  let isInterrupted = false;
  return new Promise((resolve) => {
    setTimeout(() => resolve(failed(`it took more than ${Math.round(limitMs / 1000)} s.`)), limitMs).unref();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      // A second signal must not interrupt the cleanup of keys.
      process.on(signal, () => {
        if (isInterrupted) return print('Putting away what was made …');
        isInterrupted = true;
        resolve(failed(`it was ended by ${signal}.`));
      });
    }
  });
}
