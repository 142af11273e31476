import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** A GNU `tail -F` process that follows a path from its first line. */
export class PathFollower {
  readonly #tail: ChildProcess;
  readonly #lines: string[] = [];
  /** An incomplete line. */
  #rest = '';

  constructor(path: string, options: readonly string[] = []) {
    this.#tail = spawn('tail', ['-n', '+1', '-F', ...options, path], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#tail.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${this.#rest}${text}`.split('\n');
      this.#rest = lines.pop() ?? '';
      this.#lines.push(...lines);
    });
  }

  /** Complete lines. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Resolves when this line was printed; false after `withinMs`. */
  async prints(line: string, withinMs: number): Promise<boolean> {
    const limit = performance.now() + withinMs;
    for (let looked = 0; performance.now() < limit; await sleep(1)) {
      if (this.#lines.includes(line, looked)) return true;
      looked = this.#lines.length;
    }
    return false;
  }

  async end(): Promise<void> {
    const isClosed = once(this.#tail, 'close');
    this.#tail.kill();
    await isClosed;
  }
}
