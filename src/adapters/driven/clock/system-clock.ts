import type { Clock } from '../../../ports/clock.ts';
import { TurnQueue } from './turn-queue.ts';

/** The machine's clocks, and turns of this process's event loop. */
export class SystemClock implements Clock {
  readonly #turns = new TurnQueue();

  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  nextTurn(): Promise<void> {
    return this.#turns.next();
  }
}
