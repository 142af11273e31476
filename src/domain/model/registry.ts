import type { Account } from './account.ts';
import type { Platform } from './platform.ts';

/** One generation of the configuration: an immutable snapshot that a request reads from start to end. */
export class Registry {
  readonly #platforms: ReadonlyMap<string, Platform>;
  readonly #accounts: ReadonlyMap<string, ReadonlyMap<string, Account>>;
  readonly #list: readonly Account[];
  /** Names the configuration that this was made of, `sha256:<64 hex>`; null for none. */
  readonly digest: string | null;

  /** Takes platforms and accounts whose ids are already known to be unique, in the order in which they are listed. */
  constructor(platforms: readonly Platform[], accounts: readonly Account[], digest: string | null = null) {
    this.digest = digest;
    this.#platforms = new Map(platforms.map((platform) => [platform.platformId, platform]));
    const byPlatform = new Map<string, Map<string, Account>>();
    for (const account of accounts) {
      const siblings = byPlatform.get(account.platformId) ?? new Map<string, Account>();
      siblings.set(account.accountId, account);
      byPlatform.set(account.platformId, siblings);
    }
    this.#accounts = byPlatform;
    this.#list = accounts;
  }

  /** The platform of that id, or undefined. */
  platform(platformId: string): Platform | undefined {
    return this.#platforms.get(platformId);
  }

  /** The account of that id on that platform, or undefined. */
  account(platformId: string, accountId: string): Account | undefined {
    return this.#accounts.get(platformId)?.get(accountId);
  }

  /** All accounts, or those of one platform. */
  accounts(platformId?: string): readonly Account[] {
    if (platformId === undefined) return this.#list;
    return [...(this.#accounts.get(platformId)?.values() ?? [])];
  }

  get accountCount(): number {
    return this.#list.length;
  }

  get platformCount(): number {
    return this.#platforms.size;
  }

  /** How many accounts each configured platform has, zero included. */
  countByPlatform(): { readonly [platformId: string]: number } {
    return Object.fromEntries([...this.#platforms.keys()].map((id) => [id, this.#accounts.get(id)?.size ?? 0]));
  }
}

/** What serves before anything was loaded: nothing. */
export const EMPTY_REGISTRY = new Registry([], []);
