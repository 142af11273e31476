/** The time of day. */
export interface WallClock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
}

/**
 * Time, and scheduling in the event loop.
 *
 * `monotonic` MUST never run backwards. An adapter MUST resume callers of `yieldNow` in FIFO order,
 * one per event-loop tick, so that arriving requests wait for one slice at most.
 */
export interface Clock extends WallClock {
  /** Milliseconds with fractions from an arbitrary start; for durations only. */
  monotonic(): number;

  /**
   * Resolves after all other pending work and all earlier callers. For long work that must not hold
   * up requests; see `TimeSlice` (domain/flow/time-slice.ts).
   */
  yieldNow(): Promise<void>;

  /**
   * Calls `work` after the pending input was handled, before waiting for more: shares common work
   * of requests that arrive together.
   */
  atEndOfTick(work: () => void): void;
}
