import type { Clock } from '../../ports/clock.ts';
import type { RateBudget, RateGrant, RateLimiter, RateRequest, RateSharing } from '../../ports/rate-limiter.ts';

/** Points used from a bucket and not yet refilled. */
interface Bucket {
  /** Fractions included, from 0 to the budget. */
  readonly used: number;
  /** Time of `used`, milliseconds. */
  readonly at: number;
}

/** Tolerance for rounding of sums, points. */
const ROUNDING = 1e-6;

/**
 * Takes from a token bucket (ITU-T I.371, continuous-state leaky bucket), like TAKE_SCRIPT of
 * redis-rate-limiter.ts.
 * @param bucket undefined for a full one
 * @param now milliseconds on the clock of `bucket.at`
 */
export function takeFrom(
  bucket: Bucket | undefined,
  { points, minPoints }: Omit<RateRequest, 'key'>,
  budget: RateBudget,
  now: number,
): { readonly bucket: Bucket; readonly grant: RateGrant } {
  const msPerPoint = (budget.windowSeconds * 1000) / budget.points;
  const used = bucket === undefined ? 0 : Math.max(0, bucket.used - (now - bucket.at) / msPerPoint);
  const left = Math.floor(budget.points - used + ROUNDING);
  const granted = left < minPoints ? 0 : Math.min(points, left);
  const after = used + granted;
  const missing = after + minPoints - budget.points;
  const retryAfterMs = missing <= ROUNDING ? 0 : Math.ceil(missing * msPerPoint - ROUNDING);
  return { bucket: { used: after, at: now }, grant: { granted, retryAfterMs } };
}

/**
 * Buckets by key, in two generations. After a window without use a bucket is full, so the older
 * generation is dropped as a whole, without timers or searches; earlier when the newer one is full,
 * which bounds memory.
 */
export class BucketMap {
  readonly #windowMs: number;
  readonly #maxHalf: number;
  #newer = new Map<string, Bucket>();
  #older = new Map<string, Bucket>();
  #changedAt = Number.NEGATIVE_INFINITY;

  /** @param maxKeys an even number */
  constructor(windowMs: number, maxKeys: number) {
    this.#windowMs = windowMs;
    this.#maxHalf = maxKeys / 2;
  }

  /** Number of keys; one in both generations counts twice. */
  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  get(key: string): Bucket | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  /** @param bucket as of now */
  set(key: string, bucket: Bucket): void {
    const isFull = this.#newer.size >= this.#maxHalf && !this.#newer.has(key);
    if (isFull || bucket.at - this.#changedAt >= this.#windowMs) this.#changeHalves(bucket.at);
    this.#newer.set(key, bucket);
  }

  #changeHalves(now: number): void {
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#changedAt = now;
  }
}

/** More accounts or callers than most services have; some tens of megabytes. */
const MAX_KEYS = 200_000;

/** The RateLimiter in memory. */
export class MemoryRateLimiter implements RateLimiter {
  readonly budget: RateBudget;
  readonly sharing: RateSharing = { shared: false, state: 'current', apartSince: null, reason: null };
  readonly #clock: Clock;
  readonly #buckets: BucketMap;

  /**
   * @param maxKeys an even number; beyond it, the least recently used keys are forgotten, and start
   * with a full bucket
   */
  constructor(budget: RateBudget, clock: Clock, maxKeys = MAX_KEYS) {
    this.budget = budget;
    this.#clock = clock;
    this.#buckets = new BucketMap(budget.windowSeconds * 1000, maxKeys);
  }

  get size(): number {
    return this.#buckets.size;
  }

  async take(requests: readonly RateRequest[]): Promise<readonly RateGrant[]> {
    const now = this.#clock.monotonic();
    return requests.map((request) => {
      const known = this.#buckets.get(request.key);
      const { bucket, grant } = takeFrom(known, request, this.budget, now);
      // Repeated refusals must not evict the key.
      if (known !== undefined || grant.granted > 0) this.#buckets.set(request.key, bucket);
      return grant;
    });
  }
}
