import type { Account } from './account.ts';
import { AccountIndex, indexOf } from './account-index.ts';
import { NO_PERMISSIONS_LIST, type Permissions } from './permissions.ts';
import type { Platform } from './platform.ts';

/** Identifies what a generation was made of. Reveals no key. */
export interface RegistryOrigin {
  /** Of the configuration as a whole, `sha256:<64 hex>`; null for none. */
  readonly digest: string | null;
  /**
   * Of the permissions list: `sha256:<64 hex>` of its canonical JSON (RFC 8785) in UTF-8; null
   * where there is no list.
   */
  readonly permissionsDigest: string | null;
  /** Ids of the master keys that keys of accounts are sealed under, in ascending order. */
  readonly masterKeyIds: readonly string[];
}

const NO_ORIGIN: RegistryOrigin = { digest: null, permissionsDigest: null, masterKeyIds: [] };

/** One generation of the configuration: an immutable snapshot that a request reads from start to end. */
export class Registry {
  readonly #platforms: ReadonlyMap<string, Platform>;
  readonly #accounts: AccountIndex;
  readonly origin: RegistryOrigin;
  /** Who may do what with these accounts, and with the service while this generation is in force. */
  readonly permissions: Permissions;

  /** Takes platforms and accounts whose ids are already known to be unique, in the order in which they are listed. */
  constructor(
    platforms: readonly Platform[],
    accounts: readonly Account[] | AccountIndex,
    origin: RegistryOrigin = NO_ORIGIN,
    permissions: Permissions = NO_PERMISSIONS_LIST,
  ) {
    this.origin = origin;
    this.permissions = permissions;
    this.#platforms = new Map(platforms.map((platform) => [platform.platformId, platform]));
    this.#accounts = accounts instanceof AccountIndex ? accounts : indexOf(accounts);
  }

  /** The platform of that id, or undefined. */
  platform(platformId: string): Platform | undefined {
    return this.#platforms.get(platformId);
  }

  /** The account of that id on that platform, or undefined. */
  account(platformId: string, accountId: string): Account | undefined {
    return this.#accounts.account(platformId, accountId);
  }

  /** All accounts, or those of one platform. */
  accounts(platformId?: string): readonly Account[] {
    return this.#accounts.accounts(platformId);
  }

  get accountCount(): number {
    return this.#accounts.count();
  }

  /** Ids of the platforms that are configured. */
  get platformIds(): readonly string[] {
    return [...this.#platforms.keys()];
  }

  get platformCount(): number {
    return this.#platforms.size;
  }

  /** How many accounts each configured platform has, zero included. */
  countByPlatform(): { readonly [platformId: string]: number } {
    return Object.fromEntries([...this.#platforms.keys()].map((id) => [id, this.#accounts.count(id)]));
  }
}

/** What serves before anything was loaded: nothing. */
export const EMPTY_REGISTRY = new Registry([], []);
