import type { Clock } from '../../ports/clock.ts';
import type { AccountProfile } from '../model/account.ts';
import type { Registry } from '../model/registry.ts';
import { TimeSlice } from './time-slice.ts';

/** Which account: where a page of the list ended. */
export type AccountPosition = Pick<AccountProfile, 'platformId' | 'accountId'>;

/** Which accounts are wanted. */
export interface WantedAccounts {
  /** Of this platform; undefined: of all. */
  readonly platformId: string | undefined;
  /** Most of them. */
  readonly most: number;
  /** Whether this one is among them. */
  readonly accepts: (account: AccountPosition) => boolean;
}

/** Accounts that are sorted in one step: a fraction of a millisecond. */
const MOST_AT_ONCE = 256;

/**
 * The accounts of each generation by platformId and accountId, in the order of their UTF-16 code
 * units; sorted on the first request for it, and kept with the generation.
 */
export class SortedAccounts {
  readonly #clock: Clock;
  readonly #sorted = new WeakMap<Registry, Promise<readonly AccountProfile[]>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The first wanted accounts behind a position. Searched in slices, since they may be few of many.
   */
  async after(
    registry: Registry,
    position: AccountPosition | null,
    { platformId, most, accepts }: WantedAccounts,
  ): Promise<readonly AccountProfile[]> {
    const sorted = await this.#sort(registry);
    const slice = new TimeSlice(this.#clock);
    const found: AccountProfile[] = [];
    for (let at = firstBehind(sorted, laterOf(position, platformId)); found.length < most; at += 1) {
      const account = sorted[at];
      if (account === undefined || (platformId !== undefined && account.platformId !== platformId)) break;
      if (accepts(account)) found.push(account);
      if (slice.expired) await slice.yieldNow();
    }
    return found;
  }

  #sort(registry: Registry): Promise<readonly AccountProfile[]> {
    const known = this.#sorted.get(registry);
    if (known !== undefined) return known;
    const sorting = mergeSort(registry.accounts(), new TimeSlice(this.#clock));
    this.#sorted.set(registry, sorting);
    return sorting;
  }
}

/** A sorted copy, made in slices: to sort 100,000 accounts at once takes some 100 ms. */
async function mergeSort(accounts: readonly AccountProfile[], slice: TimeSlice): Promise<readonly AccountProfile[]> {
  await slice.yieldIfExpired();
  if (accounts.length <= MOST_AT_ONCE) return accounts.toSorted(compare);
  const half = Math.ceil(accounts.length / 2);
  const left = await mergeSort(accounts.slice(0, half), slice);
  const right = await mergeSort(accounts.slice(half), slice);
  const merged: AccountProfile[] = [];
  let taken = 0;
  await slice.forEach(left, (account) => {
    for (let next = right[taken]; next !== undefined && compare(next, account) < 0; next = right[taken]) {
      merged.push(next);
      taken += 1;
    }
    merged.push(account);
  });
  return merged.concat(right.slice(taken));
}

/** The position itself, or that before all accounts of the platform where it is earlier; no id is empty. */
function laterOf(position: AccountPosition | null, platformId = ''): AccountPosition {
  const before = { platformId, accountId: '' };
  return position === null || compare(position, before) < 0 ? before : position;
}

/** Index of the first account behind a position, by bisection. */
function firstBehind(sorted: readonly AccountPosition[], position: AccountPosition): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const account = sorted[middle];
    if (account !== undefined && compare(account, position) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(left: AccountPosition, right: AccountPosition): number {
  return compareText(left.platformId, right.platformId) || compareText(left.accountId, right.accountId);
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
