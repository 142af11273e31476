import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** GNU tail in a process of its own, which follows a path whatever file is there (`tail -F`), from its first line on. */
export class PathFollower {
  readonly #tail: ChildProcess;
  readonly #lines: string[] = [];
  /** What came of the line that has no end yet. */
  #rest = '';

  constructor(path: string, options: readonly string[] = []) {
    this.#tail = spawn('tail', ['-n', '+1', '-F', ...options, path], { stdio: ['ignore', 'pipe', 'ignore'] });
    this.#tail.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${this.#rest}${text}`.split('\n');
      this.#rest = lines.pop() ?? '';
      this.#lines.push(...lines);
    });
  }

  /** Whole lines that it printed. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Resolves when it has printed this line, now or before; false when that takes longer than `withinMs`. */
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
