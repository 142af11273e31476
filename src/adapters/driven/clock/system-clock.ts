import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../../ports/clock.ts';

/** The machine's clocks. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  nextTurn(): Promise<void> {
    return setImmediate();
  }
}
