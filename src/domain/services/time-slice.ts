import type { Clock } from '../../ports/clock.ts';

/**
 * Length of a slice, milliseconds; a step that is under way is finished first. Short, because a
 * single request needs some five turns of the event loop until its record is durable, and waits for
 * a slice of long work in each of them.
 */
export const SLICE_MS = 1;

/**
 * Slices long work so that requests do not wait for it: check `expired` between steps that each
 * take much less than {@link SLICE_MS}, and yield. {@link Clock.yieldNow} decides who continues.
 */
export class TimeSlice {
  readonly #clock: Clock;
  #beganAt: number;

  /**
   * The first slice begins now; work that may arrive many at a time yields before its first step.
   */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganAt = clock.monotonic();
  }

  /** Whether this slice is used up. */
  get expired(): boolean {
    return this.#clock.monotonic() - this.#beganAt >= SLICE_MS;
  }

  /** Yields if this slice is used up, and continues at once otherwise. */
  async yieldIfExpired(): Promise<void> {
    if (this.expired) await this.yieldNow();
  }

  /** Lets others run, then begins the next slice. */
  async yieldNow(): Promise<void> {
    await this.#clock.yieldNow();
    this.#beganAt = this.#clock.monotonic();
  }

  /** Calls `work` for each item in order, and yields whenever the slice is used up. */
  async forEach<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
    for (const item of items) {
      work(item);
      if (this.expired) await this.yieldNow();
    }
  }
}
