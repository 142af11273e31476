import type { Clock } from '../../ports/clock.ts';

/**
 * How long one slice of long work goes on before requests get a turn, milliseconds; a step that is under way is finished first. Short, because a single request takes some five turns of the event
 * loop until its record is durable, and pays for a slice in each of them.
 */
export const SLICE_MS = 1;

/** How long work in the background stands back between two slices while others have something to do, milliseconds; then it waits for its turn as others do, however busy they are. */
const PATIENCE_MS = 4;

/** A turn of the event loop in which others did less than this, milliseconds, is one that they did not need. */
const QUIET_MS = 0.25;

/**
 * Cuts long work into slices: `await turns.pause()` between its steps, each of which should take much less than {@link SLICE_MS}. Works of one Clock take
 * turns with each other, so that all of them together take one slice in a turn of the event loop.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #isInBackground: boolean;
  #sliceBegan: number;

  /** The first slice begins now; work that may arrive many at a time awaits `next` before its first step. */
  constructor(clock: Clock, isInBackground = false) {
    this.#clock = clock;
    this.#isInBackground = isInBackground;
    this.#sliceBegan = clock.monotonic();
  }

  /** For work that can wait longer than requests can: it lets them have more than one turn between two slices while they use them. */
  static inBackground(clock: Clock): Turns {
    return new Turns(clock, true);
  }

  /** Whether this slice is used up: for work that can't pause between its steps. */
  get isOver(): boolean {
    return this.#clock.monotonic() - this.#sliceBegan >= SLICE_MS;
  }

  /** Lets others have a turn if this slice is used up, and goes on at once otherwise. */
  async pause(): Promise<void> {
    if (this.isOver) await this.next();
  }

  /** Lets others have a turn, or more where it is work in the background, and begins the next slice after it. */
  async next(): Promise<void> {
    if (this.#isInBackground) await this.#standBack();
    else await this.#clock.nextTurn();
    this.#sliceBegan = this.#clock.monotonic();
  }

  async #standBack(): Promise<void> {
    const stoodBackAt = this.#clock.monotonic();
    let now = stoodBackAt;
    while (now - stoodBackAt < PATIENCE_MS) {
      const askedAt = now;
      await this.#clock.backgroundTurn();
      now = this.#clock.monotonic();
      if (now - askedAt < QUIET_MS) return;
    }
  }
}
