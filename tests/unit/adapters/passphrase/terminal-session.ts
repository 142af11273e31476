import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { fixture } from '../secret-files/child-process.ts';

const STEP_MILLISECONDS = 10;
const PATIENCE_MILLISECONDS = 15_000;

/** Shell command that runs a fixture. */
export function nodeCommand(name: string, args: readonly string[]): string {
  return [process.execPath, fixture(name), ...args].map((word) => `'${word}'`).join(' ');
}

/** A shell on a pseudo terminal of script(1). */
export class TerminalSession {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #exit: Promise<unknown>;
  #output = '';

  /** Starts a shell command on a new, echoing terminal. */
  constructor(command: string) {
    this.#child = spawn('script', ['-qec', `stty sane; ${command}`, '/dev/null'], {
      cwd: tmpdir(),
      env: { ...process.env, SHELL: '/bin/sh' },
    });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#output += text;
    });
    // The terminal may be gone.
    this.#child.stdin.on('error', () => undefined);
    this.#exit = once(this.#child, 'exit');
  }

  get output(): string {
    return this.#output;
  }

  type(keys: string | Buffer): void {
    this.#child.stdin.write(keys);
  }

  /** Waits for output that matches. */
  async shows(pattern: RegExp): Promise<RegExpExecArray> {
    const deadline = Date.now() + PATIENCE_MILLISECONDS;
    for (;;) {
      const match = pattern.exec(this.#output);
      if (match !== null) return match;
      if (Date.now() > deadline) throw new Error(`The terminal did not show ${pattern}: ${this.#output}`);
      await setTimeout(STEP_MILLISECONDS);
    }
  }

  async ended(): Promise<void> {
    await this.#exit;
  }

  /** Closes the terminal, like its window. */
  close(): void {
    this.#child.kill('SIGKILL');
  }
}
