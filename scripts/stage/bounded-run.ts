import { print } from './print.ts';

/** Things to put away at the end, the last first. */
export class Cleanup {
  readonly #steps: (() => Promise<void> | void)[] = [];

  add(step: () => Promise<void> | void): void {
    this.#steps.push(step);
  }

  async run(): Promise<void> {
    for (const step of this.#steps.toReversed()) await step();
  }
}

/**
 * Runs a script to its end: prints what goes wrong, puts everything away, also when time is up or somebody ends it, and exits with 0 when `work` says that all it was to show was shown, else with 1.
 * @param limitMs the longest that it may take
 */
export async function runBounded(limitMs: number, work: (cleanup: Cleanup) => Promise<boolean>): Promise<never> {
  const cleanup = new Cleanup();
  const failed = (reason: string): false => {
    print(`FAILED: ${reason}`);
    return false;
  };
  let isOver = false;
  const working = work(cleanup).catch((error) => {
    // What is put away while it is in use complains of that.
    if (isOver) return false;
    return failed(error instanceof Error ? String(error.stack) : String(error));
  });
  const isShown = await Promise.race([working, interruption(limitMs, failed)]);
  isOver = true;
  await cleanup.run();
  // What was interrupted may still wait for something, and would keep the process alive.
  process.exit(isShown ? 0 : 1);
}

function interruption(limitMs: number, failed: (reason: string) => false): Promise<false> {
  let isInterrupted = false;
  return new Promise((resolve) => {
    setTimeout(() => resolve(failed(`it took more than ${Math.round(limitMs / 1000)} s.`)), limitMs).unref();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      // A second one would end the process while it puts away keys.
      process.on(signal, () => {
        if (isInterrupted) return print('Putting away what was made …');
        isInterrupted = true;
        resolve(failed(`it was ended by ${signal}.`));
      });
    }
  });
}

/** The number behind a name on the command line, such as `--accounts 1000`; `byDefault` when it is not there. */
export function numberArgument(name: string, byDefault: number): number {
  const at = process.argv.indexOf(name);
  if (at < 0) return byDefault;
  const number = Number(process.argv[at + 1]);
  if (!(number > 0)) throw new RangeError(`${name} takes a number above 0.`);
  return number;
}
