import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** Watches the event loop of a plain service from outside, in a process that has nothing else to do: an answer for health takes as long as the loop does something else. */
export class LoopWatch {
  readonly #child: ChildProcess;
  /** Milliseconds from each question to its answer. */
  readonly latencies: number[] = [];

  constructor(port: number) {
    this.#child = fork(resolve(import.meta.dirname, 'health-callers.ts'), { execArgv: ['--import', 'tsx'] });
    this.#child.on('message', (ms: number) => this.latencies.push(ms));
    this.#child.send(port);
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
  }
}
