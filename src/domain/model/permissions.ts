import type { CallerGrants } from './caller-grants.ts';
import type { AccountOperation, PermissionEntry, ServiceOperation } from './permission-entry.ts';
import { PermissionIndex, permissionIndexOf } from './permission-index.ts';

/** Callers whose grants are kept: what is kept does not depend on how many there are. */
const MOST_CALLERS = 1024;

/** Who may do what, as one generation of the configuration says it. Where there is no list, everybody may do everything; where there is one, nobody may do what none of its entries allows. */
export class Permissions {
  readonly #index: PermissionIndex | null;
  /** Which entries name a caller is found out once: most callers come again. The oldest is forgotten first. */
  readonly #known = new Map<string | null, CallerGrants>();

  /** @param entries known to be right; null where there is no list */
  constructor(entries: readonly PermissionEntry[] | PermissionIndex | null) {
    this.#index = entries === null || entries instanceof PermissionIndex ? entries : permissionIndexOf(entries);
  }

  /** Whether there is no list. */
  get isOpen(): boolean {
    return this.#index === null;
  }

  /** How many entries the list has; null where there is none. */
  get entryCount(): number | null {
    return this.#index === null ? null : this.#index.size;
  }

  /** Whether a caller may do what is done with the service as a whole. @param principal null for a caller who did not prove who it is, here and below */
  allows(principal: string | null, operation: ServiceOperation): boolean {
    return this.#grantsOf(principal)?.operations.has(operation) ?? true;
  }

  /** Whether a caller may do this with this account. */
  allowsOn(principal: string | null, operation: AccountOperation, platformId: string, accountId: string): boolean {
    return this.#grantsOf(principal)?.allowsOn(operation, platformId, accountId) ?? true;
  }

  /** Whether any entry lets a caller do this at all, on whichever accounts. */
  allowsSomewhere(principal: string | null, operation: AccountOperation): boolean {
    return this.#grantsOf(principal)?.operations.has(operation) ?? true;
  }

  /** Whether a caller who did not prove who it is may do anything. */
  get allowsAnonymous(): boolean {
    const grants = this.#grantsOf(null);
    return grants === null || grants.operations.size > 0;
  }

  /** Null where there is no list. */
  #grantsOf(principal: string | null): CallerGrants | null {
    if (this.#index === null) return null;
    const known = this.#known.get(principal);
    if (known !== undefined) return known;

    const grants = this.#index.grantsOf(principal);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size < MOST_CALLERS) break;
      this.#known.delete(oldest);
    }
    this.#known.set(principal, grants);
    return grants;
  }
}

/** Those of a configuration without a list. */
export const NO_PERMISSIONS_LIST = new Permissions(null);
