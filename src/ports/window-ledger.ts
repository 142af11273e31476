import type { Demand } from '../domain/model/attempt.ts';

/** What one demand got. */
export interface Grant {
  /** Charged units: from `minUnits` to the wanted ones, or none. */
  readonly granted: number;
  /** Whether not even `minUnits` fit. */
  readonly isRefused: boolean;
  /** Whole units that fit beside what is charged now, at least 0. */
  left(): number;
  /**
   * Whole milliseconds until so many units fit beside what is charged now, if nobody charges more;
   * 0: now. Beyond the maximum, until they have fit one after another.
   */
  retryAfterMs(units: number): number;
}

/** What the demands of one call got. */
export interface Charged {
  /** In the order of the demands. */
  readonly grants: readonly Grant[];
  /** Refunds all of it, once. Never rejects: what cannot be refunded stays charged. */
  refund(): Promise<void>;
}

/**
 * What was charged to limits within a window, by key: budgets, or a rate limit.
 *
 * An adapter MUST count each charge for at least the window, and no more than one of its parts
 * longer: a sixtieth for budgets, a tenth for rates. It MUST charge nothing beyond a maximum,
 * MUST NOT reject, and MUST keep what was charged when a maximum, and with it the unit, changes.
 *
 * A ledger of budgets MUST charge all demands of a call or none. Where it cannot tell what was
 * charged, it is unavailable, and whatever it may have counted stays counted. After a crash it MUST
 * NOT have forgotten a charge that it reported.
 *
 * A ledger of rates charges each demand for itself, is never unavailable, and MUST bound its memory
 * however many keys are invented: above its capacity it MAY forget the key that was charged least
 * recently. A refused demand MUST NOT prolong or displace anything.
 */
export interface WindowLedger {
  /**
   * Charges what fits.
   * @param demands at most {@link MAX_DEMANDS}, of unique keys
   * @returns null if unavailable
   */
  charge(demands: readonly Demand[]): Promise<Charged | null>;

  /** Keeps all charges for the next start; later ones are unavailable. Never rejects. */
  close?(): Promise<void>;
}

/** Demands of one call: well under a millisecond of work. */
export const MAX_DEMANDS = 100;

/** At most so many points of a key within any window. */
export interface RateLimit {
  /** Integer, at least 1. */
  readonly points: number;
  readonly windowSeconds: number;
}

/** A rate limit and its ledger. */
export interface RateLimiter extends RateLimit {
  readonly ledger: WindowLedger;
}

/** Whether replicas share rate limits. */
export interface RateSharing {
  readonly shared: boolean;
  /** `apart`: each replica counts for itself for now. */
  readonly state: 'current' | 'apart';
  /** ISO 8601 UTC; null while current. */
  readonly apartSince: string | null;
  /** For operators, without secrets; null while current. */
  readonly reason: string | null;
}

/** All rate limits; null: none. */
export interface RateLimiters {
  readonly callers: RateLimiter | null;
  readonly accounts: RateLimiter | null;
  /**
   * Failed authentications of each address, always on. Never shared: they cost only this process.
   */
  readonly failures: RateLimiter;
  /** Of `callers` and `accounts`. */
  readonly sharing: RateSharing;
}
