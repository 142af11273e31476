import type { RateBudget, RateSharing } from '../domain/model/rate-limit.ts';

/** What one key asks for. */
export interface RateRequest {
  /** Whose bucket: an address, a principal, an account. Up to a few hundred characters. */
  readonly key: string;
  /** Points that are wanted, a whole number; 0 takes none, and tells whether there are some. */
  readonly points: number;
  /** Fewest that are of use: where fewer are left, none is taken. A whole number, at least 1. */
  readonly fewest: number;
}

/** What one key gets. */
export interface RateGrant {
  /** Points that were taken: those wanted, or as many as were left, or none. */
  readonly granted: number;
  /** In how many whole milliseconds `fewest` points are there, if nobody takes any before; 0: now. More than the budget has are there never, whatever this says. */
  readonly retryAfterMs: number;
}

/**
 * Buckets of points, one a key, all of one budget. A key that was not asked for yet has a full bucket.
 *
 * An adapter MUST grant no more than the budget allows, MUST take nothing of a key that gets none, MUST answer soon whatever it depends on, without an error, and MUST NOT
 * grow without bound however many keys are invented. It MAY forget a key whose bucket is full again, and, where there are more than it keeps, the one that was used longest ago; it
 * MAY share its buckets with other replicas, and has to say in `sharing` how far that goes.
 */
export interface RateLimiter {
  readonly budget: RateBudget;
  readonly sharing: RateSharing;

  /** Takes points, of each key by itself, and tells of each in the same order. At most {@link MOST_KEYS_AT_ONCE} keys, none of them twice. */
  take(requests: readonly RateRequest[]): Promise<readonly RateGrant[]>;
}

/** Keys that are asked for at once: well under a millisecond of work, here and elsewhere. */
export const MOST_KEYS_AT_ONCE = 100;
