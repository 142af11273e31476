/** Token bucket: capacity `points`, refilled evenly within the window. */
export interface RateBudget {
  /** Integer, at least 1. */
  readonly points: number;
  readonly windowSeconds: number;
}

/** Whether replicas share a budget. */
export interface RateSharing {
  readonly shared: boolean;
  /** `apart`: each replica counts for itself for now. */
  readonly state: 'current' | 'apart';
  /** ISO 8601 UTC; null while current. */
  readonly apartSince: string | null;
  /** For operators, without secrets; null while current. */
  readonly reason: string | null;
}

/** A request for points of one key. */
export interface RateRequest {
  /** An address, principal or account. Up to a few hundred characters. */
  readonly key: string;
  /** Wanted points, an integer; 0 takes none and checks for any. */
  readonly points: number;
  /** Takes none below this. An integer, at least 1. */
  readonly minPoints: number;
}

/** Points granted to one key. */
export interface RateGrant {
  /** Points taken: at most those wanted. */
  readonly granted: number;
  /**
   * Whole milliseconds until `minPoints` are available if nobody takes any; 0: now.
   * Meaningless beyond the budget.
   */
  readonly retryAfterMs: number;
}

/**
 * Token buckets, one per key, all with the same budget. A new key has a full bucket.
 *
 * An adapter MUST grant no more than the budget allows, MUST take nothing from a key that is
 * granted nothing, MUST respond soon and without errors, and MUST bound its memory however many
 * keys are invented. It MAY drop full buckets and, above its capacity, the least recently used one.
 * It MAY share buckets with other replicas, and reports in `sharing` whether it does.
 */
export interface RateLimiter {
  readonly budget: RateBudget;
  readonly sharing: RateSharing;

  /**
   * Takes points from each key independently; grants in request order. At most
   * {@link MAX_KEYS_AT_ONCE} unique keys.
   */
  take(requests: readonly RateRequest[]): Promise<readonly RateGrant[]>;
}

/** Maximum keys of one call: well under a millisecond of work. */
export const MAX_KEYS_AT_ONCE = 100;

/** All rate limiters; null: no limit. */
export interface RateLimiters {
  readonly callers: RateLimiter | null;
  readonly accounts: RateLimiter | null;
  /**
   * Failed authentications of each address, always on. Never shared: they cost only this process.
   */
  readonly failures: RateLimiter;
}
