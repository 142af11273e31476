import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../src/ports/clock.ts';

/** A Clock that only a test advances. */
export class FixedClock implements Clock {
  #now: number;
  #monotonic = 0;
  #lastInLine: Promise<void> = Promise.resolve();

  /** `at`: ISO 8601 text, or milliseconds since 1970-01-01T00:00:00Z. */
  constructor(at: string | number = '2026-11-20T08:49:00.000Z') {
    this.#now = new Date(at).getTime();
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#monotonic;
  }

  yieldNow(): Promise<void> {
    this.#lastInLine = this.#lastInLine.then(() => nextTurn());
    return this.#lastInLine;
  }

  atEndOfTick(work: () => void): void {
    setImmediate(work);
  }

  /** Sets the wall clock, forwards or backwards; `monotonic` stays. */
  set(at: string | number): void {
    this.#now = new Date(at).getTime();
  }

  /** Advances both clocks. */
  advance(milliseconds: number): void {
    if (milliseconds < 0) throw new RangeError('Time does not pass backwards; use `set` for the wall clock.');
    this.#now += milliseconds;
    this.#monotonic += milliseconds;
  }
}
