import type { Clock } from '../../ports/clock.ts';
import type { UsageLedger } from '../../ports/usage-ledger.ts';
import type { AccountProfile } from '../model/account.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import { accountNotFound } from '../model/refusal.ts';
import type { Usage } from '../model/usage.ts';
import type { RegistryHolder } from './registry-holder.ts';
import { type AccountPosition, SortedAccounts } from './sorted-accounts.ts';

/** An account and what it was used for; never its key. */
export interface AccountWithUsage {
  readonly profile: AccountProfile;
  readonly usage: Usage;
}

/** The accounts of one generation, in configured order, to be looked at in slices; it keeps no key alive. */
export interface AccountList {
  readonly total: number;
  /** Those from index `begin` to before `end`, with what they were used for by now. */
  slice(begin: number, end: number): readonly AccountWithUsage[];
}

/** Which part of the accounts is asked for. */
export interface PageRequest {
  readonly platformId?: string | undefined;
  /** Most accounts on the page. */
  readonly limit: number;
  /** Where the page before ended; null for the first one. */
  readonly after: AccountPosition | null;
}

/** Some accounts, by platformId and accountId in the order of their code units, so that pages fit together over reloads. */
export interface AccountPage {
  readonly accounts: readonly AccountWithUsage[];
  /** Where the next page begins; null when there is none. */
  readonly next: AccountPosition | null;
}

/** Shows accounts. */
export class AccountService {
  readonly #registry: RegistryHolder;
  readonly #usage: UsageLedger;
  readonly #sorted: SortedAccounts;

  constructor(registry: RegistryHolder, usage: UsageLedger, clock: Clock) {
    this.#registry = registry;
    this.#usage = usage;
    this.#sorted = new SortedAccounts(clock);
  }

  /** All accounts in configured order, or those of one platform; an unknown platform has none. */
  list(platformId?: string): AccountList {
    const accounts: readonly AccountProfile[] = this.#registry.current.accounts(platformId);
    return {
      total: accounts.length,
      slice: (begin, end) => accounts.slice(begin, end).map((account) => this.#withUsage(account)),
    };
  }

  /** One page of all accounts, or of those of one platform. An account that is there all the time is on one page, whatever is reloaded between them. */
  async page({ platformId, limit, after }: PageRequest): Promise<AccountPage> {
    const found = await this.#sorted.after(this.#registry.current, after, platformId, limit + 1);
    const accounts = found.slice(0, limit);
    const last = accounts.at(-1);
    const next = last === undefined || found.length <= limit ? null : last;
    return {
      accounts: accounts.map((account) => this.#withUsage(account)),
      next: next === null ? null : { platformId: next.platformId, accountId: next.accountId },
    };
  }

  /** One account. */
  find(platformId: string, accountId: string): Outcome<AccountWithUsage> {
    const account = this.#registry.current.account(platformId, accountId);
    if (account === undefined) return refused(accountNotFound(platformId, accountId));
    return accepted(this.#withUsage(account));
  }

  #withUsage(account: AccountProfile): AccountWithUsage {
    return { profile: profileOf(account), usage: this.#usage.usage(account.platformId, account.accountId) };
  }
}

/** Field by field, so that nothing else an account holds can ever be shown. */
function profileOf(account: AccountProfile): AccountProfile {
  const { accountId, platformId, alias, status, environment, algorithm, publicKey, createdAt } = account;
  return { accountId, platformId, alias, status, environment, algorithm, publicKey, createdAt };
}
