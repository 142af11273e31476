import type { Clock } from '../../ports/clock.ts';

/**
 * Length of a slice, milliseconds; a running step is finished first. Short, because a request waits
 * for a slice of long work in each of its about five event-loop ticks.
 */
export const SLICE_MS = 1;

/** Yields after a step of this many slices or more. */
const MAX_YIELDS = 100;

/**
 * Slices long work so that requests don't wait for it: check `expired` between steps that each take
 * much less than {@link SLICE_MS}, and yield. {@link Clock.yieldNow} decides who continues. A
 * longer step is paid for with as many yields, so that others get as much time.
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

  /** Yields once for each slice that was used up, at least once, then starts the next one. */
  async yieldNow(): Promise<void> {
    const used = Math.floor((this.#clock.monotonic() - this.#beganAt) / SLICE_MS);
    for (let left = Math.min(used, MAX_YIELDS); left > 1; left -= 1) await this.#clock.yieldNow();
    await this.#clock.yieldNow();
    this.#beganAt = this.#clock.monotonic();
  }

  /** Maps the first items that fit in the slice: at least one, at most `max`. */
  mapFirst<Item, Result>(items: readonly Item[], max: number, map: (item: Item) => Result): readonly Result[] {
    const results: Result[] = [];
    for (const item of items) {
      results.push(map(item));
      if (results.length === max || this.expired) break;
    }
    return results;
  }

  /** Yields whenever the slice is used up. */
  async forEach<Item>(items: Iterable<Item>, work: (item: Item) => void): Promise<void> {
    for (const item of items) {
      work(item);
      if (this.expired) await this.yieldNow();
    }
  }
}
