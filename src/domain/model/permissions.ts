import type { AccountIds } from './account.ts';
import { ANONYMOUS } from './authentication.ts';
import { memoizeRecent } from './memoize.ts';
import { ACCOUNT_OPERATIONS, OPERATIONS, type Operation } from './operations.ts';
import { type Refusal, refuse } from './refusal.ts';
import { WILDCARD, WildcardPattern } from './text/wildcard-pattern.ts';

interface PlatformSelection {
  readonly ids: Set<string>;
  readonly patterns: WildcardPattern[];
}

/**
 * Accounts selected by `platformId/accountId` patterns. Those without a wildcard take one lookup.
 */
export class AccountSelection {
  readonly #byPlatform = new Map<string, PlatformSelection>();
  readonly #others: { readonly platforms: WildcardPattern; readonly accounts: WildcardPattern }[] = [];
  #hasPatterns = false;

  /** @param patterns each with exactly one slash; no id has one */
  constructor(patterns: readonly string[]) {
    for (const pattern of patterns) this.#add(pattern);
  }

  get hasPatterns(): boolean {
    return this.#hasPatterns;
  }

  includes(platformId: string, accountId: string): boolean {
    const named = this.#byPlatform.get(platformId);
    if (named !== undefined && isSelected(named, accountId)) return true;
    for (const { platforms, accounts } of this.#others) {
      if (platforms.matches(platformId) && accounts.matches(accountId)) return true;
    }
    return false;
  }

  *named(): Iterable<{ readonly platformId: string; readonly accountId: string }> {
    for (const [platformId, { ids }] of this.#byPlatform) for (const accountId of ids) yield { platformId, accountId };
  }

  #add(pattern: string): void {
    const slash = pattern.indexOf('/');
    const [platform, account] = [pattern.slice(0, slash), pattern.slice(slash + 1)];
    if (pattern.includes(WILDCARD)) this.#hasPatterns = true;
    if (platform.includes(WILDCARD)) {
      this.#others.push({ platforms: new WildcardPattern(platform), accounts: new WildcardPattern(account) });
      return;
    }
    const named = this.#byPlatform.get(platform) ?? { ids: new Set(), patterns: [] };
    this.#byPlatform.set(platform, named);
    if (account.includes(WILDCARD)) named.patterns.push(new WildcardPattern(account));
    else named.ids.add(account);
  }
}

function isSelected({ ids, patterns }: PlatformSelection, accountId: string): boolean {
  if (ids.has(accountId)) return true;
  for (const pattern of patterns) if (pattern.matches(accountId)) return true;
  return false;
}

/** A permission entry: these callers may do these operations on these accounts. */
export interface PermissionEntry {
  /**
   * Principals, `*` for any run of characters; `anonymous` matches unauthenticated callers, `*`
   * never does.
   */
  readonly principals: readonly string[];
  /** `platformId/accountId`, `*` in either; absent without account operations. */
  readonly accounts?: readonly string[] | undefined;
  /** Operations, or `*` for all. */
  readonly operations: readonly (Operation | typeof WILDCARD)[];
}

/** An entry's operations with `*` expanded. */
export function listOperations({ operations }: Pick<PermissionEntry, 'operations'>): readonly Operation[] {
  return operations.flatMap((operation) => (operation === WILDCARD ? OPERATIONS : [operation]));
}

/** A permission entry prepared for lookups. */
export interface Grant {
  readonly operations: readonly Operation[];
  readonly accounts: AccountSelection;
}

/** Looks up the grants that name an account by its ids. */
interface NamingGrants {
  of(platformId: string, accountId: string): readonly Grant[];
}

interface OperationGrants {
  /** Without a wildcard in their accounts. */
  readonly plain: readonly Grant[];
  readonly patterned: readonly Grant[];
}

/** Up to this many grants, checking each is faster than looking up the account. */
const MAX_CHECKED = 8;

/** One caller's grants, by reference, so that any number of callers can be cached. */
export class CallerGrants {
  /** Operations allowed on any account. */
  readonly operations: ReadonlySet<Operation>;
  readonly #grants: ReadonlySet<Grant>;
  readonly #byOperation: ReadonlyMap<Operation, OperationGrants>;
  readonly #naming: NamingGrants;

  constructor(grants: readonly Grant[], naming: NamingGrants) {
    this.operations = new Set(grants.flatMap(({ operations }) => operations));
    this.#grants = new Set(grants);
    this.#naming = naming;
    this.#byOperation = new Map<Operation, OperationGrants>(
      ACCOUNT_OPERATIONS.filter((operation) => this.operations.has(operation)).map((operation) => {
        const allowing = grants.filter(({ operations }) => operations.includes(operation));
        const patterned = allowing.filter(({ accounts }) => accounts.hasPatterns);
        return [operation, { plain: allowing.filter(({ accounts }) => !accounts.hasPatterns), patterned }];
      }),
    );
  }

  allowsOn(operation: Operation, { platformId, accountId }: AccountIds): boolean {
    const grants = this.#byOperation.get(operation);
    if (grants === undefined) return false;
    const { plain, patterned } = grants;
    if (isIncluded(patterned, platformId, accountId)) return true;
    if (plain.length <= MAX_CHECKED) return isIncluded(plain, platformId, accountId);

    const naming = this.#naming.of(platformId, accountId);
    if (naming.length > plain.length) return isIncluded(plain, platformId, accountId);
    return naming.some((grant) => this.#grants.has(grant) && grant.operations.includes(operation));
  }
}

/** A plain loop: runs for each signature and for each of 100,000 listed accounts. */
function isIncluded(grants: readonly Grant[], platformId: string, accountId: string): boolean {
  for (const { accounts } of grants) if (accounts.includes(platformId, accountId)) return true;
  return false;
}

const NO_GRANTS: readonly Grant[] = [];

/** Permission entries by principal. Must not change once it is part of Permissions. */
export class PermissionIndex {
  readonly #byName = new Map<string, Grant[]>();
  readonly #byPattern: { readonly pattern: WildcardPattern; readonly grant: Grant }[] = [];
  readonly #anonymous: Grant[] = [];
  /** By platformId, then by accountId, for entries that name both. */
  readonly #byAccount = new Map<string, Map<string, Grant[]>>();

  readonly #entries: PermissionEntry[] = [];

  /** As added, in order. */
  get entries(): readonly PermissionEntry[] {
    return this.#entries;
  }

  /** Adds a valid entry. */
  add(entry: PermissionEntry): void {
    this.#entries.push(entry);
    const grant: Grant = { operations: listOperations(entry), accounts: new AccountSelection(entry.accounts ?? []) };
    for (const name of entry.principals) {
      if (name === ANONYMOUS) this.#anonymous.push(grant);
      else if (name.includes(WILDCARD)) this.#byPattern.push({ pattern: new WildcardPattern(name), grant });
      else getList(this.#byName, name).push(grant);
    }
    for (const { platformId, accountId } of grant.accounts.named()) {
      const accounts = this.#byAccount.get(platformId) ?? new Map<string, Grant[]>();
      this.#byAccount.set(platformId, accounts);
      getList(accounts, accountId).push(grant);
    }
  }

  /** @param principal null for an unauthenticated caller */
  getGrants(principal: string | null): CallerGrants {
    return new CallerGrants(principal === null ? this.#anonymous : this.#named(principal), {
      of: (platformId, accountId) => this.#byAccount.get(platformId)?.get(accountId) ?? NO_GRANTS,
    });
  }

  /** Each grant once, even if several of its patterns match. */
  #named(principal: string): readonly Grant[] {
    const matching = this.#byPattern.filter(({ pattern }) => pattern.matches(principal));
    return [...new Set([...(this.#byName.get(principal) ?? []), ...matching.map(({ grant }) => grant)])];
  }
}

/** An index of these entries. */
function buildPermissionIndex(entries: readonly PermissionEntry[]): PermissionIndex {
  const index = new PermissionIndex();
  for (const entry of entries) index.add(entry);
  return index;
}

function getList(lists: Map<string, Grant[]>, name: string): Grant[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}

/**
 * One generation's permissions. Without a list everything is allowed; with a list only what an
 * entry allows.
 */
export class Permissions {
  readonly #index: PermissionIndex | null;
  /** Null without a list. Memoized, because most callers come again. */
  readonly #getGrants: (principal: string | null) => CallerGrants | null;

  /** @param entries valid; null without a list */
  constructor(entries: readonly PermissionEntry[] | PermissionIndex | null) {
    const index = entries === null || entries instanceof PermissionIndex ? entries : buildPermissionIndex(entries);
    this.#index = index;
    this.#getGrants = index === null ? () => null : memoizeRecent((principal) => index.getGrants(principal));
  }

  get isOpen(): boolean {
    return this.#index === null;
  }

  /** In configured order; null without a list. */
  get entries(): readonly PermissionEntry[] | null {
    return this.#index === null ? null : this.#index.entries;
  }

  /** Null without a list. */
  get entryCount(): number | null {
    return this.entries?.length ?? null;
  }

  /**
   * Whether an entry allows the operation: on this account, or, without one, on any.
   * @param principal null for an unauthenticated caller, here and below
   */
  allows(principal: string | null, operation: Operation, account?: AccountIds): boolean {
    const grants = this.#getGrants(principal);
    if (grants === null) return true;
    return account === undefined ? grants.operations.has(operation) : grants.allowsOn(operation, account);
  }

  /** FORBIDDEN unless {@link allows}, else null: the one permission check of callers. */
  refuse(principal: string | null, operation: Operation, account?: AccountIds): Refusal | null {
    if (this.allows(principal, operation, account)) return null;
    const ids = account && { platformId: account.platformId, accountId: account.accountId };
    return refuse('PermissionDenied', { ...ids, operation, principal: principal ?? ANONYMOUS });
  }

  get allowsAnonymous(): boolean {
    const grants = this.#getGrants(null);
    return grants === null || grants.operations.size > 0;
  }
}

/** Permissions without a list. */
export const NO_PERMISSIONS_LIST = new Permissions(null);
