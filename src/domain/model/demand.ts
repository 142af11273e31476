/** What a request takes of a rate limit, or of a budget of its account. */
export interface Demand {
  /** Whose limit, and which: up to a few hundred characters. */
  readonly key: string;
  /** In units of 10^exponent, rounded up. An integer; 0 charges none and checks `minUnits`. */
  readonly units: number;
  /** Charges none below this. An integer, at least 1. */
  readonly minUnits: number;
  /** Of all charges within the window, in the same units. An integer below 10^13. */
  readonly maxUnits: number;
  /** May change between calls, with the maximum. */
  readonly exponent: number;
  readonly windowSeconds: number;
}
