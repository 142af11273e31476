/**
 * Time, and turns of work.
 *
 * An adapter MUST give a `monotonic` that never runs backwards, and turns that are fair: of all who wait for one, one is resumed in a turn of the event
 * loop, first come, first served. So long works take turns with each other as well, and however many there are, requests that arrive wait for one slice of one
 * of them.
 */
export interface Clock {
  /** Wall clock, milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;

  /** Milliseconds, fractions included, from an arbitrary start; for durations only. */
  monotonic(): number;

  /**
   * Resolves once everything else that waits to run had its turn, and all who asked before were resumed in turns of their own: for long work that must
   * not hold up requests. See `Turns` (domain/services/turns.ts) for how long it may go on then.
   */
  nextTurn(): Promise<void>;

  /**
   * The same for long work that can wait longer than requests can. An adapter MAY resolve it later, by half a second at the most, where it knows that turns take long at the moment and would take longer with more work; it takes
   * its place in the line after that.
   */
  backgroundTurn(): Promise<void>;

  /** Calls `work` when the input that is there now has been handled, before the next input is waited for: what requests that arrive together have in common is then done once for all of them. */
  atEndOfTurn(work: () => void): void;
}
