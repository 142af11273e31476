import type { UsageLedger } from '../../ports/usage-ledger.ts';
import type { AccountProfile } from '../model/account.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import { accountNotFound } from '../model/refusal.ts';
import type { Usage } from '../model/usage.ts';
import type { RegistryHolder } from './registry-holder.ts';

/** An account and what it was used for; never its key. */
export interface AccountWithUsage {
  readonly profile: AccountProfile;
  readonly usage: Usage;
}

/** Shows accounts. */
export class AccountService {
  readonly #registry: RegistryHolder;
  readonly #usage: UsageLedger;

  constructor(registry: RegistryHolder, usage: UsageLedger) {
    this.#registry = registry;
    this.#usage = usage;
  }

  /** All accounts in configured order, or those of one platform; an unknown platform has none. */
  list(platformId?: string): readonly AccountWithUsage[] {
    return this.#registry.current.accounts(platformId).map((account) => this.#withUsage(account));
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
