import { WriteStream } from 'node:tty';
import type { CommandOutputs } from '../../src/app/command-line.ts';
import type { Ended } from './service-process.ts';

type Write = typeof process.stdout.write;

/** Outputs that are no terminal. */
export const PIPES: CommandOutputs = { stdout: {}, stderr: {} };

/** Outputs that are terminals of this width with Node's colours. */
export function terminalOf(columns: number): CommandOutputs {
  const terminal = { isTTY: true, columns, hasColors: WriteStream.prototype.hasColors };
  return { stdout: terminal, stderr: terminal };
}

/**
 * Runs a command line in this process, which is faster than a new one; returns output and exit
 * code. Not for Node options, signals, input, or the working directory. One at a time.
 * @param outputs seen by the command; default: pipes
 * @param program absolute path by which it is called; default: its link
 */
export async function commandInProcess(
  environment: { readonly [name: string]: string },
  args: readonly string[],
  outputs: CommandOutputs = PIPES,
  program = '/usr/local/bin/signing-service',
): Promise<Ended> {
  const { runCommandLine } = await import('../../src/app/command-line.ts');
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    const print = (text: string) => process.stdout.write(text);
    const { result: exitCode, ...printed } = await printedBy(() =>
      runCommandLine(['node', program, ...args], environment, print, outputs),
    );
    return { ...printed, exitCode };
  } finally {
    process.exitCode = before;
  }
}

/** Result and captured output. */
export interface Printed<Result> {
  readonly result: Result;
  readonly stdout: string;
  readonly stderr: string;
}

/** Captures this process's output during an action. One at a time. */
export async function printedBy<Result>(action: () => Promise<Result>): Promise<Printed<Result>> {
  const printed = { stdout: '', stderr: '' };
  const restore = [keep('stdout', printed), keep('stderr', printed)];
  try {
    const result = await action();
    return { ...printed, result };
  } finally {
    for (const undo of restore) undo();
  }
}

/** Captures an output until the returned function is called. */
function keep(output: 'stdout' | 'stderr', printed: { stdout: string; stderr: string }): () => void {
  const stream = process[output];
  const { write } = stream;
  stream.write = ((text: string | Uint8Array, written?: unknown) => {
    printed[output] += typeof text === 'string' ? text : Buffer.from(text).toString();
    if (typeof written === 'function') written();
    return true;
  }) as Write;
  return () => {
    stream.write = write;
  };
}
