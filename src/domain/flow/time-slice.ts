import type { Clock } from '../../ports/clock.ts';

/**
 * Length of a slice, milliseconds; a running step is finished first. Short, because a request waits
 * for a slice of long work in each of its about five event-loop ticks.
 */
export const SLICE_MS = 1;

/**
 * Slices long work so that requests don't wait for it: check `expired` between steps that each take
 * much less than {@link SLICE_MS}, and yield. {@link Clock.yieldNow} decides who continues.
 */
export class TimeSlice {
  readonly #clock: Clock;
  #beganAt: number;

  /** Starts the first slice; work that may arrive in numbers yields before its first step. */
  constructor(clock: Clock) {
    this.#clock = clock;
    this.#beganAt = clock.monotonic();
  }

  get expired(): boolean {
    return this.#clock.monotonic() - this.#beganAt >= SLICE_MS;
  }

  async yieldIfExpired(): Promise<void> {
    if (this.expired) await this.yieldNow();
  }

  /** Yields, then starts the next slice. */
  async yieldNow(): Promise<void> {
    await this.#clock.yieldNow();
    this.#beganAt = this.#clock.monotonic();
  }

  /** Yields whenever the slice is used up. */
  async forEach<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
    for (const item of items) {
      work(item);
      if (this.expired) await this.yieldNow();
    }
  }
}
