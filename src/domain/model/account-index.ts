import type { Account } from './account.ts';

/** Accounts by their ids, in the order in which they were added: what a Registry is made of. Whoever gives one to a Registry adds no more to it. */
export class AccountIndex {
  readonly #byPlatform = new Map<string, Map<string, Account>>();
  readonly #list: Account[] = [];

  /** Takes an account whose ids are known to be unique. */
  add(account: Account): void {
    const siblings = this.#byPlatform.get(account.platformId);
    if (siblings === undefined) this.#byPlatform.set(account.platformId, new Map([[account.accountId, account]]));
    else siblings.set(account.accountId, account);
    this.#list.push(account);
  }

  /** The account of that id on that platform, or undefined. */
  account(platformId: string, accountId: string): Account | undefined {
    return this.#byPlatform.get(platformId)?.get(accountId);
  }

  /** All accounts, or those of one platform. */
  accounts(platformId?: string): readonly Account[] {
    if (platformId === undefined) return this.#list;
    return [...(this.#byPlatform.get(platformId)?.values() ?? [])];
  }

  /** How many accounts there are, or how many of one platform. */
  count(platformId?: string): number {
    return platformId === undefined ? this.#list.length : (this.#byPlatform.get(platformId)?.size ?? 0);
  }
}

/** The same of accounts that are at hand. */
export function indexOf(accounts: readonly Account[]): AccountIndex {
  const index = new AccountIndex();
  for (const account of accounts) index.add(account);
  return index;
}
