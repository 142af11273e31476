/** Time. An adapter MUST give a `monotonic` that never runs backwards. */
export interface Clock {
  /** Wall clock, milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;

  /** Milliseconds, fractions included, from an arbitrary start; for durations only. */
  monotonic(): number;

  /** Resolves once everything else that waits to run had its turn: for long work that must not hold up other requests. */
  nextTurn(): Promise<void>;
}
