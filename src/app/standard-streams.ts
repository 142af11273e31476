import type { LiveOutput } from '../adapters/cli/cli-context.ts';
import type { TerminalStyle } from '../adapters/cli/terminal/style.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { Environment } from './settings/settings.ts';

/** A standard stream, terminal or not. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  hasColors?(count: number, environment: object): boolean;
}

/** Values of FORCE_COLOR that enable colour. */
const FORCE_COLOR_VALUES = ['', '1', 'true', '2', '3'];

/**
 * Whether a stream gets colour: terminals as Node decides (FORCE_COLOR, NO_COLOR, TERM=dumb),
 * others only if forced.
 */
export function wantsColour(environment: Environment, stream: Output): boolean {
  if (stream.isTTY) return stream.hasColors?.(16, environment) ?? false;
  return FORCE_COLOR_VALUES.includes(environment['FORCE_COLOR'] ?? 'no');
}

/** Width of a terminal that reports none. */
const DEFAULT_COLUMNS = 80;

/**
 * Style of a stream, with its current width.
 * @param override `--color` or `--no-color`, which take precedence; undefined: neither
 */
export function createStyle(stream: Output, environment: Environment, override?: boolean): TerminalStyle {
  return {
    get columns() {
      // Some pseudo-terminals report 0.
      return stream.isTTY ? stream.columns || DEFAULT_COLUMNS : null;
    },
    colour: override ?? wantsColour(environment, stream),
  };
}

/**
 * Standard output of a command that runs until Ctrl-C, SIGTERM or a closed pipe. A second signal
 * ends the process.
 */
export function openLiveOutput(style: TerminalStyle, stdout: NodeJS.WriteStream = process.stdout): LiveOutput {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  stdout.on('error', () => stop.abort());
  return {
    get columns() {
      return style.columns;
    },
    get rows() {
      // As with columns, 0 is unknown.
      return stdout.isTTY ? stdout.rows || null : null;
    },
    colour: style.colour,
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
 * Lets a program finish after its reader is gone (`| head`), where an unhandled `error` event would
 * end it. Other write errors, such as a full disk, are reported on standard error and set the exit
 * code of a refusal.
 */
export function guardOutputs(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return;
    process.stderr.write(
      `error: cannot write to standard output (${error.code}). Changes that the command made took effect: check before you run it again.\n`,
    );
    process.exitCode = EXIT_CODES.refused;
  });
  process.stderr.on('error', () => undefined);
}
