import type { LiveOutput } from '../adapters/driving/cli/cli-context.ts';
import type { Look } from '../adapters/driving/cli/look.ts';

/** Opens standard output for a command that goes on until it is stopped: by Ctrl-C, by SIGTERM, or because nobody reads it any more. A second signal ends the process. */
export function openLiveOutput(look: Look, stdout: NodeJS.WriteStream = process.stdout): LiveOutput {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  stdout.on('error', () => stop.abort());
  return {
    get columns() {
      return look.columns;
    },
    colour: look.colour,
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
