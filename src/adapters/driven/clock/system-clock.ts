import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../ports/clock.ts';
import { GarbageMarking } from './garbage-marking.ts';
import { TurnQueue } from './turn-queue.ts';

/** How long work in the background waits before it looks again whether garbage is still marked, milliseconds. */
const LOOK_MS = 5;

/** How long it waits for that at the most, milliseconds: where memory is short, one marking follows another. */
const LONGEST_WAIT_MS = 500;

/** What work in the background waits for. */
type Marking = Pick<GarbageMarking, 'isUnderWay'>;

/** The machine's clocks, and turns of this process's event loop. */
export class SystemClock implements Clock {
  readonly #turns = new TurnQueue();
  readonly #makeMarking: () => Marking;
  #marking: Marking | null = null;

  /** @param makeMarking called when somebody has work in the background for the first time */
  constructor(makeMarking: () => Marking = () => new GarbageMarking()) {
    this.#makeMarking = makeMarking;
  }

  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  nextTurn(): Promise<void> {
    return this.#turns.next();
  }

  async backgroundTurn(): Promise<void> {
    this.#marking ??= this.#makeMarking();
    const latest = this.monotonic() + LONGEST_WAIT_MS;
    while (this.#marking.isUnderWay && this.monotonic() < latest) await delay(LOOK_MS);
    await this.#turns.next();
  }

  /** Immediates run when the poll for input has handled what it found. */
  atEndOfTurn(work: () => void): void {
    setImmediate(work);
  }
}
