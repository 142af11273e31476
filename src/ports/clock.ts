/** The time of day. */
export interface WallClock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/**
 * Time, and turns of the event loop.
 *
 * An adapter MUST give a `monotonic` that never runs backwards, and MUST resume callers of
 * `yieldNow` first come, first served, one in a turn of the event loop: however many long works are
 * under way, requests that arrive wait for one slice of one of them.
 */
export interface Clock extends WallClock {
  /** Milliseconds, fractions included, from an arbitrary start; for durations only. */
  monotonic(): number;

  /**
   * Resolves after everything else that waits to run, and in turns of their own all who called
   * before: for long work that must not hold up requests. `TimeSlice`
   * (domain/services/time-slice.ts) says how long it may run then.
   */
  yieldNow(): Promise<void>;

  /**
   * Calls `work` when the input that is there now has been handled, before the next input is waited
   * for: what requests that arrive together have in common is then done once for all of them.
   */
  atEndOfTurn(work: () => void): void;
}
