import type { LiveOutput } from '../adapters/driving/cli/cli-context.ts';
import type { Look } from '../adapters/driving/cli/look.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { Environment } from './settings.ts';

/** A standard stream: a terminal or anything else. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?(count: number, environment: object): boolean;
}

/** Values of FORCE_COLOR that request colour. */
const FORCING = ['', '1', 'true', '2', '3'];

/**
 * Whether a stream gets colour: for a terminal as Node decides it (FORCE_COLOR, NO_COLOR,
 * TERM=dumb), for anything else only when that is forced.
 */
export function wantsColour(environment: Environment, stream: Output): boolean {
  if (stream.isTTY) return stream.hasColors?.(16, environment) ?? false;
  return FORCING.includes(environment['FORCE_COLOR'] ?? 'no');
}

/** Width of a terminal that does not say how wide it is. */
const USUAL_COLUMNS = 80;

/**
 * How text may look on a stream, its width as it is when it is asked for.
 * @param wish `--color` or `--no-color`, which win over everything else; undefined: neither was
 *   given
 */
export function lookOf(stream: Output, environment: Environment, wish?: boolean): Look {
  return {
    get columns() {
      // Some terminals, such as those that programs make for other programs, say 0.
      return stream.isTTY ? stream.columns || USUAL_COLUMNS : null;
    },
    colour: wish ?? wantsColour(environment, stream),
  };
}

/**
 * Opens standard output for a command that goes on until it is stopped: by Ctrl-C, by SIGTERM, or
 * because the reader is gone. A second signal ends the process.
 */
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

/**
 * Lets a program finish its work when the reader of its output is gone (`| head`): an unhandled
 * `error` event would end it half way. Where standard output can't be written to for another
 * reason, such as a full disk, standard error says so, and the exit code is that of a refusal; the
 * work is finished then, too.
 */
export function guardOutputs(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(
      `error: standard output can not be written to (${error.code}). What the command changes is changed all the same: look before you run it again.\n`,
    );
    process.exitCode = EXIT_CODES.refused;
  });
  process.stderr.on('error', () => undefined);
}
