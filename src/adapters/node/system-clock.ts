import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.ts';

/** The system clocks and the event loop. */
export class SystemClock implements Clock {
  #lastInLine: Promise<void> = Promise.resolve();

  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  /** Callers continue in order, one per tick. */
  yieldNow(): Promise<void> {
    this.#lastInLine = this.#lastInLine.then(() => nextTurn());
    return this.#lastInLine;
  }

  /** Immediates run after the poll phase. */
  atEndOfTick(work: () => void): void {
    setImmediate(work);
  }
}
