import type { RateBudget, RateSharing } from '../../../domain/model/rate-limit.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { RateGrant, RateLimiter, RateRequest } from '../../../ports/rate-limiter.ts';
import { takeFrom } from './bucket.ts';
import { BucketMap } from './bucket-map.ts';

/**
 * Keys that are kept: more than most services have accounts or callers, and some tens of megabytes
 * (npm run measure -- rate-limits).
 */
const MAX_KEYS = 200_000;

/** Buckets in the memory of this process. */
export class MemoryRateLimiter implements RateLimiter {
  readonly budget: RateBudget;
  readonly sharing: RateSharing = { mode: 'alone' };
  readonly #clock: Clock;
  readonly #buckets: BucketMap;

  /** @param maxKeys keys that are kept, an even number; beyond, those that were used longest ago are forgotten, and have a full bucket when they come again */
  constructor(budget: RateBudget, clock: Clock, maxKeys = MAX_KEYS) {
    this.budget = budget;
    this.#clock = clock;
    this.#buckets = new BucketMap(budget.windowSeconds * 1000, maxKeys);
  }

  /** Keys that are kept now. */
  get size(): number {
    return this.#buckets.size;
  }

  async take(requests: readonly RateRequest[]): Promise<readonly RateGrant[]> {
    const now = this.#clock.monotonic();
    return requests.map((request) => {
      const known = this.#buckets.get(request.key);
      const { bucket, grant } = takeFrom(known, request, this.budget, now);
      // Who is refused again and again is not forgotten for it.
      if (known !== undefined || grant.granted > 0) this.#buckets.set(request.key, bucket);
      return grant;
    });
  }
}
