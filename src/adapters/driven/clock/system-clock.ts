import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../../ports/clock.ts';

/** The machine's clocks, and turns of this process's event loop. */
export class SystemClock implements Clock {
  #lastInLine: Promise<void> = Promise.resolve();

  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  /** Each waits for a turn after that of the one before. */
  yieldNow(): Promise<void> {
    this.#lastInLine = this.#lastInLine.then(() => nextTurn());
    return this.#lastInLine;
  }

  /** Immediates run when the poll for input has handled what it found. */
  atEndOfTurn(work: () => void): void {
    setImmediate(work);
  }
}
