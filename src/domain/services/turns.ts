import type { Clock } from '../../ports/clock.ts';

/**
 * How long one slice of long work goes on before requests get a turn, milliseconds; a step that is under way is finished first. Short, because a single request takes some five turns of the event
 * loop until its record is durable, and pays for a slice in each of them.
 */
export const SLICE_MS = 1;

/**
 * Cuts long work into slices: `await turns.pause()` between its steps, each of which should take much less than {@link SLICE_MS}. Works of one Clock take
 * turns with each other, so that all of them together take one slice in a turn of the event loop.
 */
export class Turns {
  readonly #clock: Clock;
  #sliceBegan: number;

  /** The first slice begins now; work that may arrive many at a time awaits `next` before its first step. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#sliceBegan = clock.monotonic();
  }

  /** Whether this slice is used up: for work that can't pause between its steps. */
  get isOver(): boolean {
    return this.#clock.monotonic() - this.#sliceBegan >= SLICE_MS;
  }

  /** Lets others have a turn if this slice is used up, and goes on at once otherwise. */
  async pause(): Promise<void> {
    if (this.isOver) await this.next();
  }

  /** Lets others have a turn, and begins the next slice after it. */
  async next(): Promise<void> {
    await this.#clock.nextTurn();
    this.#sliceBegan = this.#clock.monotonic();
  }
}
