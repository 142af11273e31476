import type { Account, AccountStatus } from './account.ts';
import { NO_PERMISSIONS_LIST, type Permissions } from './permissions.ts';
import type { Platform } from './platform.ts';
import { NO_POLICIES, type Policies } from './policy.ts';

/** Accounts with each status. */
type StatusCounts = { readonly [Status in AccountStatus]: number };

const NO_ACCOUNTS: StatusCounts = { active: 0, disabled: 0 };

interface PlatformAccounts {
  readonly byId: Map<string, Account>;
  readonly counts: { [Status in AccountStatus]: number };
}

/** Accounts by their ids, in the order added. Must not change once it is part of a Registry. */
export class AccountIndex {
  readonly #byPlatform = new Map<string, PlatformAccounts>();
  readonly #list: Account[] = [];

  /** Ids must be unique. */
  add(account: Account): void {
    const { platformId, accountId, status } = account;
    const { byId, counts } = this.#byPlatform.get(platformId) ?? this.#addPlatform(platformId);
    byId.set(accountId, account);
    counts[status] += 1;
    this.#list.push(account);
  }

  #addPlatform(platformId: string): PlatformAccounts {
    const accounts = { byId: new Map<string, Account>(), counts: { ...NO_ACCOUNTS } };
    this.#byPlatform.set(platformId, accounts);
    return accounts;
  }

  account(platformId: string, accountId: string): Account | undefined {
    return this.#byPlatform.get(platformId)?.byId.get(accountId);
  }

  /** All accounts, or one platform's. */
  accounts(platformId?: string): readonly Account[] {
    if (platformId === undefined) return this.#list;
    return [...(this.#byPlatform.get(platformId)?.byId.values() ?? [])];
  }

  count(platformId?: string): number {
    return platformId === undefined ? this.#list.length : (this.#byPlatform.get(platformId)?.byId.size ?? 0);
  }

  countByStatus(platformId: string): StatusCounts {
    return this.#byPlatform.get(platformId)?.counts ?? NO_ACCOUNTS;
  }
}

/** An index of these accounts. */
function buildAccountIndex(accounts: readonly Account[]): AccountIndex {
  const index = new AccountIndex();
  for (const account of accounts) index.add(account);
  return index;
}

/** Identifies the source of a generation. Reveals no key. */
export interface RegistryOrigin {
  /** Of the whole configuration, `sha256:<64 hex>`; null for none. */
  readonly digest: string | null;
  /**
   * `sha256:<64 hex>` of the permissions list's canonical JSON (RFC 8785) in UTF-8; null without a
   * list.
   */
  readonly permissionsDigest: string | null;
  /** The same of the policies; null without any. */
  readonly policiesDigest: string | null;
  /** The same of the budgets. */
  readonly budgetsDigest: string | null;
  /** Master keys that accounts are sealed under, ascending. */
  readonly masterKeyIds: readonly string[];
}

const NO_ORIGIN: RegistryOrigin = {
  digest: null,
  permissionsDigest: null,
  policiesDigest: null,
  budgetsDigest: null,
  masterKeyIds: [],
};

/**
 * One generation of the configuration: an immutable snapshot, used by a request from start to end.
 */
export class Registry {
  readonly #platforms: ReadonlyMap<string, Platform>;
  readonly #accounts: AccountIndex;
  readonly origin: RegistryOrigin;
  readonly permissions: Permissions;
  readonly policies: Policies;

  /** Ids must be unique. */
  constructor(
    platforms: readonly Platform[],
    accounts: readonly Account[] | AccountIndex,
    origin: RegistryOrigin = NO_ORIGIN,
    permissions: Permissions = NO_PERMISSIONS_LIST,
    policies: Policies = NO_POLICIES,
  ) {
    this.origin = origin;
    this.permissions = permissions;
    this.policies = policies;
    this.#platforms = new Map(platforms.map((platform) => [platform.platformId, platform]));
    this.#accounts = accounts instanceof AccountIndex ? accounts : buildAccountIndex(accounts);
  }

  platform(platformId: string): Platform | undefined {
    return this.#platforms.get(platformId);
  }

  account(platformId: string, accountId: string): Account | undefined {
    return this.#accounts.account(platformId, accountId);
  }

  accounts(platformId?: string): readonly Account[] {
    return this.#accounts.accounts(platformId);
  }

  get accountCount(): number {
    return this.#accounts.count();
  }

  get platforms(): readonly Platform[] {
    return [...this.#platforms.values()];
  }

  get platformIds(): readonly string[] {
    return [...this.#platforms.keys()];
  }

  get platformCount(): number {
    return this.#platforms.size;
  }

  /** Accounts of each configured platform, zero included. */
  countByPlatform(): { readonly [platformId: string]: number } {
    return Object.fromEntries([...this.#platforms.keys()].map((id) => [id, this.#accounts.count(id)]));
  }

  /** Accounts of a platform by status, zero included. */
  countByStatus(platformId: string): StatusCounts {
    return this.#accounts.countByStatus(platformId);
  }
}

/** The generation before the first load. */
export const EMPTY_REGISTRY = new Registry([], []);
