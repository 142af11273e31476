import { WriteStream } from 'node:tty';
import type { CommandOutputs } from '../../src/composition/command-line.ts';
import type { Ended } from './service-process.ts';

type Write = typeof process.stdout.write;

/** Neither output is a terminal. */
export const PIPES: CommandOutputs = { stdout: {}, stderr: {} };

/** Both outputs are a terminal of this width, which shows colours as Node would on it. */
export function terminalOf(columns: number): CommandOutputs {
  const terminal = { isTTY: true, columns, hasColors: WriteStream.prototype.hasColors };
  return { stdout: terminal, stderr: terminal };
}

/**
 * Runs one command line to its end in this process, where that shows the same as a process of its own, which takes longer to start: what it
 * prints to either output, and the exit code. Not for what hangs on the process itself: options of Node, signals, input, the working directory. One at a time.
 * @param outputs what the command is told of where its words go; default: pipes, wherever the tests run
 */
export async function commandInProcess(
  environment: { readonly [name: string]: string },
  args: readonly string[],
  outputs: CommandOutputs = PIPES,
): Promise<Ended> {
  const { runCommandLine } = await import('../../src/composition/command-line.ts');
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    const print = (text: string) => process.stdout.write(text);
    const { result: exitCode, ...printed } = await printedBy(() =>
      runCommandLine(['node', 'signing-service', ...args], environment, print, outputs),
    );
    return { ...printed, exitCode };
  } finally {
    process.exitCode = before;
  }
}

/** What an action returned, and what was printed in this process until then. */
export interface Printed<Result> {
  readonly result: Result;
  readonly stdout: string;
  readonly stderr: string;
}

/** Keeps what this process prints while an action runs, instead of printing it. One at a time. */
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

/** Takes what is written to one output until the returned function is called. */
function keep(output: 'stdout' | 'stderr', printed: { stdout: string; stderr: string }): () => void {
  const stream = process[output];
  const { write } = stream;
  stream.write = ((text: string | Uint8Array) => {
    printed[output] += typeof text === 'string' ? text : Buffer.from(text).toString();
    return true;
  }) as Write;
  return () => {
    stream.write = write;
  };
}
