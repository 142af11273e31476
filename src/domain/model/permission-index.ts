import { AccountSelection } from './account-selection.ts';
import { CallerGrants, type Grant } from './caller-grants.ts';
import { operationsOf, type PermissionEntry } from './permission-entry.ts';
import { ANONYMOUS } from './principal.ts';
import { WILDCARD, WildcardPattern } from './wildcard-pattern.ts';

const NONE: readonly Grant[] = [];

/** Entries of a permissions list by whom they name: what Permissions are made of. Whoever gives one to Permissions adds no more to it. */
export class PermissionIndex {
  readonly #byName = new Map<string, Grant[]>();
  readonly #byPattern: { readonly pattern: WildcardPattern; readonly grant: Grant }[] = [];
  readonly #anonymous: Grant[] = [];
  /** By platformId, then by accountId, where both are given. */
  readonly #byAccount = new Map<string, Map<string, Grant[]>>();

  #size = 0;

  /** How many entries there are. */
  get size(): number {
    return this.#size;
  }

  /** Takes an entry that is known to be right. */
  add(entry: PermissionEntry): void {
    this.#size += 1;
    const grant: Grant = { operations: operationsOf(entry), accounts: new AccountSelection(entry.accounts ?? []) };
    for (const name of entry.principals) {
      if (name === ANONYMOUS) this.#anonymous.push(grant);
      else if (name.includes(WILDCARD)) this.#byPattern.push({ pattern: new WildcardPattern(name), grant });
      else listIn(this.#byName, name).push(grant);
    }
    for (const { platformId, accountId } of grant.accounts.named()) {
      const accounts = this.#byAccount.get(platformId) ?? new Map<string, Grant[]>();
      this.#byAccount.set(platformId, accounts);
      listIn(accounts, accountId).push(grant);
    }
  }

  /** @param principal null for a caller who did not prove who it is */
  grantsOf(principal: string | null): CallerGrants {
    return new CallerGrants(principal === null ? this.#anonymous : this.#named(principal), {
      of: (platformId, accountId) => this.#byAccount.get(platformId)?.get(accountId) ?? NONE,
    });
  }

  /** Each once, by however many of its patterns it names the caller. */
  #named(principal: string): readonly Grant[] {
    const matching = this.#byPattern.filter(({ pattern }) => pattern.matches(principal));
    return [...new Set([...(this.#byName.get(principal) ?? []), ...matching.map(({ grant }) => grant)])];
  }
}

/** The same of entries that are at hand. */
export function permissionIndexOf(entries: readonly PermissionEntry[]): PermissionIndex {
  const index = new PermissionIndex();
  for (const entry of entries) index.add(entry);
  return index;
}

function listIn(lists: Map<string, Grant[]>, name: string): Grant[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}
