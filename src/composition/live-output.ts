import type { Environment, LiveOutput } from '../adapters/driving/cli/cli-context.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { type Output, wantsColour } from './wants-colour.ts';

/** Opens standard output for a command that goes on until it is stopped: by Ctrl-C, by SIGTERM, or because nobody reads it any more. A second signal ends the process. */
export function openLiveOutput(environment: Environment, stdout: Output = process.stdout): LiveOutput {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  // Without a listener, the EPIPE of `| head` would be an uncaught error.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    stop.abort();
    if (error.code === 'EPIPE') return;
    process.stderr.write(`error: standard output can not be written to (${error.code}).\n`);
    process.exitCode = EXIT_CODES.refused;
  });
  return {
    get columns() {
      return stdout.isTTY ? stdout.columns : null;
    },
    colour: wantsColour(environment, stdout),
    stopped: stop.signal,
    write: (text) =>
      new Promise((resolve) => {
        stdout.write(text, () => resolve());
      }),
    warn: (text) => {
      process.stderr.write(text);
    },
  };
}
