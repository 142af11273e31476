import { MAX_KEYS_AT_ONCE, type RateLimiter, type RateRequest } from '../../ports/rate-limiter.ts';
import type { TimeSlice } from '../flow/time-slice.ts';
import { type Account, toAccountName } from '../model/account.ts';
import { accountRateLimited, type Refusal } from '../model/refusal.ts';

/** Rate limits of accounts. */
export class AccountRateLimiter {
  readonly #limiter: RateLimiter;

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /** Takes one signature of the account's budget; the refusal if none is left. */
  async take(account: Account): Promise<Refusal | null> {
    const [grant] = await this.#limiter.take([{ key: toAccountName(account), points: 1, minPoints: 1 }]);
    return grant === undefined || grant.granted > 0 ? null : this.#refusal(account, grant.retryAfterMs);
  }

  /**
   * {@link take} for a batch; null takes nothing. If a budget is short, its first items get it, and
   * each other item its own retry time.
   */
  async takeForAll(accounts: readonly (Account | null)[], slice: TimeSlice): Promise<readonly (Refusal | null)[]> {
    const shares = await groupByAccount(accounts, slice);
    const refusals = Array<Refusal | null>(accounts.length).fill(null);
    const all = [...shares.values()];
    for (let start = 0; start < all.length; start += MAX_KEYS_AT_ONCE) {
      const group = all.slice(start, start + MAX_KEYS_AT_ONCE);
      const requests = group.map(({ account, indexes }): RateRequest => {
        return { key: toAccountName(account), points: indexes.length, minPoints: 1 };
      });
      const grants = await this.#limiter.take(requests);
      for (const [index, { account, indexes }] of group.entries()) {
        const { granted, retryAfterMs } = grants[index] ?? { granted: indexes.length, retryAfterMs: 0 };
        for (const [nth, position] of indexes.slice(granted).entries()) {
          refusals[position] = this.#refusal(account, retryAfterMs + Math.ceil(nth * this.#msPerPoint));
        }
      }
      await slice.yieldIfExpired();
    }
    return refusals;
  }

  get #msPerPoint(): number {
    const { points, windowSeconds } = this.#limiter.budget;
    return (windowSeconds * 1000) / points;
  }

  #refusal({ platformId, accountId }: Account, retryAfterMs: number): Refusal {
    return accountRateLimited(platformId, accountId, this.#limiter.budget, retryAfterMs);
  }
}

/** An account and its indexes in the batch. */
interface Share {
  readonly account: Account;
  readonly indexes: number[];
}

async function groupByAccount(accounts: readonly (Account | null)[], slice: TimeSlice): Promise<Map<string, Share>> {
  const shares = new Map<string, Share>();
  await slice.forEach(accounts.entries(), ([index, account]) => {
    if (account === null) return;
    const key = toAccountName(account);
    const known = shares.get(key);
    if (known === undefined) shares.set(key, { account, indexes: [index] });
    else known.indexes.push(index);
  });
  return shares;
}
