import type { Issue } from './issue.ts';

/** Most issues that one load reports. */
const MAX_ISSUES = 20;

/** Accounts that are named where many have the same fault. */
const MAX_NAMED = 3;

/** The account that a fault is about. */
export interface FaultyAccount {
  /** Where it stands in the configuration: `accounts[3]`. */
  readonly path: string;
  /** `platformId/accountId`; null where the configuration has no such ids that may be shown. */
  readonly name: string | null;
  /** Where in the account the fault is: `.key`; empty for the whole. */
  readonly field: string;
}

/** The same fault, of one account or of many. */
interface Group<Fault> {
  readonly fault: Fault;
  /** The first accounts; empty for a fault that is about none. */
  readonly accounts: FaultyAccount[];
  count: number;
}

/**
 * Collects the faults of a configuration, and reports one that many accounts have once, with their
 * number.
 */
export class AccountFaults<Fault extends { readonly message: string }> {
  readonly #groups = new Map<string, Group<Fault>>();
  /** Faults beyond the most that are reported. */
  #omitted = 0;

  /** Whether there is none. */
  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  /**
   * @param account null for a fault that is about none, or about several: it is reported by itself
   */
  add(fault: Fault, account: FaultyAccount | null): void {
    const key = account === null ? `#${this.#groups.size}` : `${account.field} ${fault.message}`;
    const accounts = account === null ? [] : [account];
    const group = this.#groups.get(key);
    if (group !== undefined) {
      group.count += 1;
      if (group.accounts.length < MAX_NAMED) group.accounts.push(...accounts);
    } else if (this.#groups.size < MAX_ISSUES) this.#groups.set(key, { fault, accounts, count: 1 });
    else this.#omitted += 1;
  }

  /**
   * Each with the accounts that have it in its message, in the order in which they were added.
   * @param total how many accounts the configuration has
   */
  report(total: number): readonly Fault[] {
    return [...this.#groups.values()].map((group) => ({
      ...group.fault,
      message: `${group.fault.message}${accountsText(group, total)}`,
    }));
  }

  /** How many faults {@link report} leaves out, as an issue of the whole; none where it has all. */
  get rest(): readonly Issue[] {
    return this.#omitted === 0 ? [] : [{ path: '', message: `and ${this.#omitted} more faults` }];
  }
}

function accountsText({ accounts, count }: Group<unknown>, total: number): string {
  const [first] = accounts;
  if (first === undefined || (count === 1 && first.name === null)) return '';
  if (count === 1) return ` (account ${first.name})`;
  const named = accounts.map(({ name, path }) => name ?? path).join(', ');
  const more = count > accounts.length ? ` and ${count - accounts.length} more` : '';
  return ` (${count} of ${total} accounts: ${named}${more})`;
}
