import { MOST_KEYS_AT_ONCE, type RateLimiter, type RateRequest } from '../../ports/rate-limiter.ts';
import type { Account } from '../model/account.ts';
import { accountRateLimited, type Refusal } from '../model/refusal.ts';
import type { TimeSlice } from './time-slice.ts';

/** Bounds how often each account signs. */
export class AccountLimits {
  readonly #limiter: RateLimiter;

  constructor(limiter: RateLimiter) {
    this.#limiter = limiter;
  }

  /** Takes one signature of the account's budget; the refusal where none is left. */
  async take(account: Account): Promise<Refusal | null> {
    const [grant] = await this.#limiter.take([{ key: keyOf(account), points: 1, fewest: 1 }]);
    return grant === undefined || grant.granted > 0 ? null : this.#refusal(account, grant.retryAfterMs);
  }

  /**
   * The same for each signature of a batch, null standing for one that takes nothing. All of one account are taken in one go; where fewer are left, the first have them, and each of the others is told when it
   * would be its turn.
   */
  async takeForAll(accounts: readonly (Account | null)[], slice: TimeSlice): Promise<readonly (Refusal | null)[]> {
    const places = await placesByAccount(accounts, slice);
    const refusals = Array<Refusal | null>(accounts.length).fill(null);
    const all = [...places.values()];
    for (let at = 0; at < all.length; at += MOST_KEYS_AT_ONCE) {
      const some = all.slice(at, at + MOST_KEYS_AT_ONCE);
      const requests = some.map(({ account, indexes }): RateRequest => {
        return { key: keyOf(account), points: indexes.length, fewest: 1 };
      });
      const grants = await this.#limiter.take(requests);
      for (const [index, { account, indexes }] of some.entries()) {
        const { granted, retryAfterMs } = grants[index] ?? { granted: indexes.length, retryAfterMs: 0 };
        for (const [nth, place] of indexes.slice(granted).entries()) {
          refusals[place] = this.#refusal(account, retryAfterMs + Math.ceil(nth * this.#msPerPoint));
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

/** One account, and at which places of the batch it is to sign. */
interface Places {
  readonly account: Account;
  readonly indexes: number[];
}

async function placesByAccount(accounts: readonly (Account | null)[], slice: TimeSlice): Promise<Map<string, Places>> {
  const places = new Map<string, Places>();
  await slice.forEach(accounts.entries(), ([index, account]) => {
    if (account === null) return;
    const key = keyOf(account);
    const known = places.get(key);
    if (known === undefined) places.set(key, { account, indexes: [index] });
    else known.indexes.push(index);
  });
  return places;
}

/** No id has a slash (identifier.ts). */
function keyOf({ platformId, accountId }: Account): string {
  return `${platformId}/${accountId}`;
}
