import type { Clock } from '../../ports/clock.ts';
import type { UsageLedger } from '../../ports/usage-ledger.ts';
import { mergeSort } from '../flow/merge-sort.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import {
  type Account,
  type AccountIds,
  type AccountProfile,
  compareAccountIds,
  UNUSED,
  type Usage,
} from '../model/account.ts';
import { memoizeByObject } from '../model/memoize.ts';
import { accepted, type Outcome, refuse, refused } from '../model/refusal.ts';
import type { Registry } from '../model/registry.ts';
import type { Caller } from '../model/sign-request.ts';
import type { RegistryHolder } from './registry-holder.ts';

/** Position in the sorted list. */
export type AccountPosition = AccountIds;

/** A query for accounts. */
interface AccountQuery {
  /** Undefined: all platforms. */
  readonly platformId: string | undefined;
  /** Maximum number. */
  readonly limit: number;
  readonly matches: (account: AccountPosition) => boolean;
}

/**
 * Each generation's accounts by platformId and accountId, in UTF-16 code unit order; sorted on
 * demand and cached with the generation.
 */
class SortedAccounts {
  readonly #clock: Clock;
  readonly #sort = memoizeByObject((registry: Registry) =>
    mergeSort(registry.accounts(), compareAccountIds, new TimeSlice(this.#clock)),
  );

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * The first matching accounts after a position. Searched in slices, because matches may be rare.
   */
  async after(
    registry: Registry,
    position: AccountPosition | null,
    { platformId, limit, matches }: AccountQuery,
  ): Promise<readonly Account[]> {
    const sorted = await this.#sort(registry);
    const slice = new TimeSlice(this.#clock);
    const found: Account[] = [];
    for (let at = findFirstAfter(sorted, getStart(position, platformId)); found.length < limit; at += 1) {
      const account = sorted[at];
      if (account === undefined || (platformId !== undefined && account.platformId !== platformId)) break;
      if (matches(account)) found.push(account);
      if (slice.expired) await slice.yieldNow();
    }
    return found;
  }
}

/** The position, or the start of the platform if that is later; no id is empty. */
function getStart(position: AccountPosition | null, platformId = ''): AccountPosition {
  const before = { platformId, accountId: '' };
  return position === null || compareAccountIds(position, before) < 0 ? before : position;
}

/** Index of the first account after a position, by bisection. */
function findFirstAfter(sorted: readonly AccountPosition[], position: AccountPosition): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const account = sorted[middle];
    if (account !== undefined && compareAccountIds(account, position) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** An account and its use; never its key. */
export interface AccountWithUsage {
  readonly profile: AccountProfile & Pick<Account, 'keyId'>;
  /** Whether its platform is disabled, so that it signs nothing even if its status is active. */
  readonly isPlatformDisabled: boolean;
  readonly usage: Usage;
}

/** One generation's accounts in configured order, read in slices; keeps no key alive. */
export interface AccountList {
  /** Includes accounts that the caller may not read. */
  readonly length: number;
  /** The readable ones from index `begin` up to, excluding, `end`, with their current usage. */
  slice(begin: number, end: number): Promise<readonly AccountWithUsage[]>;
}

/** A query for one page. */
export interface PageRequest {
  readonly platformId?: string | undefined;
  /** Maximum number of accounts. */
  readonly limit: number;
  /** End of the previous page; null for the first one. */
  readonly after: AccountPosition | null;
}

/**
 * A page by platformId and accountId in code unit order, so that pages stay consistent over
 * reloads.
 */
export interface AccountPage {
  readonly accounts: readonly AccountWithUsage[];
  /** Start of the next page; null when there is none. */
  readonly next: AccountPosition | null;
}

/** Shows callers the accounts that they may read. */
export class AccountService {
  readonly #registry: RegistryHolder;
  readonly #usage: UsageLedger;
  readonly #sorted: SortedAccounts;

  constructor(registry: RegistryHolder, usage: UsageLedger, clock: Clock) {
    this.#registry = registry;
    this.#usage = usage;
    this.#sorted = new SortedAccounts(clock);
  }

  /**
   * All accounts that the caller may read, or one platform's, in configured order; empty for an
   * unknown platform.
   */
  list({ principal }: Caller, platformId?: string): AccountList {
    const registry = this.#registry.current;
    const accounts: readonly Account[] = registry.accounts(platformId);
    return {
      length: accounts.length,
      slice: (begin, end) => {
        const shown = accounts.slice(begin, end);
        const readable = shown.filter((account) => registry.permissions.allows(principal, 'read', account));
        return this.#withUsage(readable, registry);
      },
    };
  }

  /**
   * One page of the accounts that the caller may read, full unless it is the last. Over reloads, an
   * account that stays readable is on exactly one page.
   */
  async page({ principal }: Caller, { platformId, limit, after }: PageRequest): Promise<AccountPage> {
    const registry = this.#registry.current;
    const matches = (account: AccountPosition) => registry.permissions.allows(principal, 'read', account);
    const query = { platformId, limit: limit + 1, matches };
    const found = await this.#sorted.after(registry, after, query);
    const accounts = found.slice(0, limit);
    const last = accounts.at(-1);
    const next = last === undefined || found.length <= limit ? null : last;
    return {
      accounts: await this.#withUsage(accounts, registry),
      next: next === null ? null : { platformId: next.platformId, accountId: next.accountId },
    };
  }

  async find(platformId: string, accountId: string): Promise<Outcome<AccountWithUsage>> {
    const { current } = this.#registry;
    const account = current.account(platformId, accountId);
    const [found] = account === undefined ? [] : await this.#withUsage([account], current);
    return found === undefined ? refused(refuse('AccountNotFound', { platformId, accountId })) : accepted(found);
  }

  async #withUsage(accounts: readonly Account[], registry: Registry): Promise<readonly AccountWithUsage[]> {
    const { usages } = await this.#usage.sum(accounts);
    return accounts.map((account, index) => ({
      profile: toProfile(account),
      isPlatformDisabled: registry.platform(account.platformId)?.status === 'disabled',
      usage: usages[index] ?? UNUSED,
    }));
  }
}

/** Field by field, so that no other field of an account is ever shown. */
function toProfile(account: Account): AccountWithUsage['profile'] {
  const { accountId, platformId, alias, status, environment, algorithm, createdAt, address } = account;
  const { publicKey, keyId } = account;
  const profile = { accountId, platformId, alias, status, environment, algorithm, publicKey, keyId, createdAt };
  return address === undefined ? profile : { ...profile, address };
}
