import type { Clock } from '../../ports/clock.ts';
import type { UsageLedger } from '../../ports/usage-ledger.ts';
import type { AccountProfile } from '../model/account.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import type { Permissions } from '../model/permissions.ts';
import { accountNotFound, accountPermissionDenied, permissionDenied } from '../model/refusal.ts';
import type { Caller } from '../model/sign-request.ts';
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
  /** How many there are to look at, those that the caller may not see included. */
  readonly length: number;
  /** Of those from index `begin` to before `end`, the ones that the caller may see, with what they were used for by now. */
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

/** Shows accounts to callers who may `read` them. Who may read none at all is refused: FORBIDDEN. */
export class AccountService {
  readonly #registry: RegistryHolder;
  readonly #usage: UsageLedger;
  readonly #sorted: SortedAccounts;

  constructor(registry: RegistryHolder, usage: UsageLedger, clock: Clock) {
    this.#registry = registry;
    this.#usage = usage;
    this.#sorted = new SortedAccounts(clock);
  }

  /** All accounts that the caller may read, in configured order, or those of one platform; an unknown platform has none. */
  list({ principal }: Caller, platformId?: string): Outcome<AccountList> {
    const { permissions } = this.#registry.current;
    if (!permissions.allowsSomewhere(principal, 'read')) return refused(permissionDenied('read', principal));

    const accounts: readonly AccountProfile[] = this.#registry.current.accounts(platformId);
    const mayBeSeen = visibleTo(principal, permissions);
    return accepted({
      length: accounts.length,
      slice: (begin, end) =>
        accounts
          .slice(begin, end)
          .filter(mayBeSeen)
          .map((account) => this.#withUsage(account)),
    });
  }

  /**
   * One page of all accounts that the caller may read, or of those of one platform: a full one, unless it is the last. An account that is there, and may be read, all the time is on one page, whatever is
   * reloaded between them.
   */
  async page({ principal }: Caller, { platformId, limit, after }: PageRequest): Promise<Outcome<AccountPage>> {
    const registry = this.#registry.current;
    const { permissions } = registry;
    if (!permissions.allowsSomewhere(principal, 'read')) return refused(permissionDenied('read', principal));

    const wanted = { platformId, most: limit + 1, accepts: visibleTo(principal, permissions) };
    const found = await this.#sorted.after(registry, after, wanted);
    const accounts = found.slice(0, limit);
    const last = accounts.at(-1);
    const next = last === undefined || found.length <= limit ? null : last;
    return accepted({
      accounts: accounts.map((account) => this.#withUsage(account)),
      next: next === null ? null : { platformId: next.platformId, accountId: next.accountId },
    });
  }

  /** One account. */
  find({ principal }: Caller, platformId: string, accountId: string): Outcome<AccountWithUsage> {
    const { current } = this.#registry;
    const account = current.account(platformId, accountId);
    if (account === undefined) return refused(accountNotFound(platformId, accountId));
    if (!current.permissions.allowsOn(principal, 'read', platformId, accountId)) {
      return refused(accountPermissionDenied('read', platformId, accountId, principal));
    }
    return accepted(this.#withUsage(account));
  }

  #withUsage(account: AccountProfile): AccountWithUsage {
    return { profile: profileOf(account), usage: this.#usage.usage(account.platformId, account.accountId) };
  }
}

function visibleTo(principal: string | null, permissions: Permissions): (account: AccountPosition) => boolean {
  return ({ platformId, accountId }) => permissions.allowsOn(principal, 'read', platformId, accountId);
}

/** Field by field, so that nothing else an account holds can ever be shown. */
function profileOf(account: AccountProfile): AccountProfile {
  const { accountId, platformId, alias, status, environment, algorithm, publicKey, createdAt, address } = account;
  const profile = { accountId, platformId, alias, status, environment, algorithm, publicKey, createdAt };
  return address === undefined ? profile : { ...profile, address };
}
