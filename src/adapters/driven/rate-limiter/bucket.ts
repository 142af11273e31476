import type { RateBudget } from '../../../domain/model/rate-limit.ts';
import type { RateGrant, RateRequest } from '../../../ports/rate-limiter.ts';

/** What was used of a bucket and did not come back yet. */
export interface Bucket {
  /** Points, fractions included, from 0 to those of the budget. */
  readonly used: number;
  /** As of when, milliseconds. */
  readonly at: number;
}

/** What lies below this is the rounding of sums and not a part of a point. */
const ROUNDING = 1e-6;

/**
 * Takes from a bucket what fits: the token bucket, as ITU-T I.371 has it under the name of continuous-state leaky bucket. The script in redis-rate-limiter.ts does the same.
 * @param bucket undefined for a full one
 * @param now milliseconds on the clock of `bucket.at`
 */
export function takeFrom(
  bucket: Bucket | undefined,
  { points, fewest }: Omit<RateRequest, 'key'>,
  budget: RateBudget,
  now: number,
): { readonly bucket: Bucket; readonly grant: RateGrant } {
  const msPerPoint = (budget.windowSeconds * 1000) / budget.points;
  const used = bucket === undefined ? 0 : Math.max(0, bucket.used - (now - bucket.at) / msPerPoint);
  const left = Math.floor(budget.points - used + ROUNDING);
  const granted = left < fewest ? 0 : Math.min(points, left);
  const after = used + granted;
  const missing = after + fewest - budget.points;
  const retryAfterMs = missing <= ROUNDING ? 0 : Math.ceil(missing * msPerPoint - ROUNDING);
  return { bucket: { used: after, at: now }, grant: { granted, retryAfterMs } };
}
