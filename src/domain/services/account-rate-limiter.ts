import { MAX_KEYS_AT_ONCE, type RateLimiter } from '../../ports/rate-limiter.ts';
import type { TimeSlice } from '../flow/time-slice.ts';
import { toAccountName } from '../model/account.ts';
import type { Attempt } from '../model/attempt.ts';
import { refuse, refused } from '../model/refusal.ts';

/**
 * Takes one signature of its account's rate limit for each attempt. If a limit is short, the first
 * attempts get it, and each other one ends with its own retry time.
 */
export async function takeRates(limiter: RateLimiter, attempts: readonly Attempt[], slice: TimeSlice): Promise<void> {
  const { points, windowSeconds } = limiter.budget;
  const msPerPoint = (windowSeconds * 1000) / points;
  const byAccount = new Map<string, Attempt[]>();
  await slice.forEach(attempts, (attempt) => {
    const key = toAccountName(attempt.request);
    const others = byAccount.get(key);
    if (others === undefined) byAccount.set(key, [attempt]);
    else others.push(attempt);
  });
  const all = [...byAccount];
  for (let start = 0; start < all.length; start += MAX_KEYS_AT_ONCE) {
    const group = all.slice(start, start + MAX_KEYS_AT_ONCE);
    const grants = await limiter.take(group.map(([key, { length }]) => ({ key, points: length, minPoints: 1 })));
    for (const [index, [, sharing]] of group.entries()) {
      const { granted, retryAfterMs } = grants[index] ?? { granted: sharing.length, retryAfterMs: 0 };
      for (const [nth, attempt] of sharing.slice(granted).entries()) {
        const { platformId, accountId } = attempt.request;
        const waitMs = retryAfterMs + Math.ceil(nth * msPerPoint);
        const details = { platformId, accountId, retryAfterMs: waitMs, limit: points, windowSeconds };
        attempt.outcome = refused(refuse('AccountRateLimited', details));
      }
    }
    await slice.yieldIfExpired();
  }
}
