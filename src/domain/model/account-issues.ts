import type { Issue } from './refusal.ts';

const MAX_ISSUES = 20;

/** Accounts named in an issue that many share. */
const MAX_NAMED = 3;

/** The account that an issue is about. */
export interface InvalidAccount {
  /** Path in the configuration: `accounts[3]`. */
  readonly path: string;
  /** `platformId/accountId`; null without printable IDs. */
  readonly name: string | null;
  /** Path within the account: `.key`; empty for the whole account. */
  readonly field: string;
}

interface Group<Reported> {
  readonly issue: Reported;
  /** The first accounts; empty for an issue about none. */
  readonly accounts: InvalidAccount[];
  count: number;
}

/** Collects configuration issues and reports one that many accounts share once, with a count. */
export class AccountIssues<Reported extends { readonly message: string }> {
  readonly #groups = new Map<string, Group<Reported>>();
  #omitted = 0;

  get isEmpty(): boolean {
    return this.#groups.size === 0;
  }

  /** @param account null for an issue about no account or several: it is reported on its own */
  add(issue: Reported, account: InvalidAccount | null): void {
    const key = account === null ? `#${this.#groups.size}` : `${account.field} ${issue.message}`;
    const accounts = account === null ? [] : [account];
    const group = this.#groups.get(key);
    if (group !== undefined) {
      group.count += 1;
      if (group.accounts.length < MAX_NAMED) group.accounts.push(...accounts);
    } else if (this.#groups.size < MAX_ISSUES) this.#groups.set(key, { issue, accounts, count: 1 });
    else this.#omitted += 1;
  }

  /**
   * Issues in the order added, with the accounts that have them in the message.
   * @param total accounts in the configuration
   */
  report(total: number): readonly Reported[] {
    return [...this.#groups.values()].map((group) => ({
      ...group.issue,
      message: `${group.issue.message}${formatAccounts(group, total)}`,
    }));
  }

  /** An issue that counts what {@link report} omits; empty when it omits nothing. */
  get rest(): readonly Issue[] {
    return this.#omitted === 0 ? [] : [{ path: '', message: `and ${this.#omitted} more issues` }];
  }
}

function formatAccounts({ accounts, count }: Group<unknown>, total: number): string {
  const [first] = accounts;
  if (first === undefined || (count === 1 && first.name === null)) return '';
  if (count === 1) return ` (account ${first.name})`;
  const named = accounts.map(({ name, path }) => name ?? path).join(', ');
  const more = count > accounts.length ? ` and ${count - accounts.length} more` : '';
  return ` (${count} of ${total} accounts: ${named}${more})`;
}
