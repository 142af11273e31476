import type { Issue } from './refusal.ts';

const MAX_ISSUES = 20;

/** The first issues, and one that counts the others. */
export function limitIssues(issues: readonly Issue[]): readonly Issue[] {
  return [...issues.slice(0, MAX_ISSUES), ...listOmitted(issues.length - MAX_ISSUES)];
}

function listOmitted(count: number): readonly Issue[] {
  return count <= 0 ? [] : [{ path: '', message: `and ${count} more issues` }];
}

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
  /** The message for several accounts with this issue, if the issue's own is about one. */
  readonly shared?: string | undefined;
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
    const key = account === null ? `#${this.#groups.size}` : `${account.field} ${account.shared ?? issue.message}`;
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
      message: `${describe(group)}${formatAccounts(group, total)}`,
    }));
  }

  /** An issue that counts what {@link report} omits; empty when it omits nothing. */
  get rest(): readonly Issue[] {
    return listOmitted(this.#omitted);
  }
}

function describe({ issue, accounts, count }: Group<{ readonly message: string }>): string {
  return (count > 1 ? accounts[0]?.shared : undefined) ?? issue.message;
}

function formatAccounts({ accounts, count }: Group<unknown>, total: number): string {
  const [first] = accounts;
  if (first === undefined || (count === 1 && first.name === null)) return '';
  return describeAccounts(
    accounts.map(({ name, path }) => name ?? path),
    count,
    total,
  );
}

/**
 * The end of a message about accounts: ` (200 of 200 accounts: alpha/a, alpha/b and 198 more)`.
 * @param names at least the first ones
 * @param total accounts in the configuration
 */
export function describeAccounts(names: readonly string[], count: number, total: number): string {
  if (count === 1) return ` (account ${names[0]})`;
  const named = names.slice(0, MAX_NAMED);
  const more = count > named.length ? ` and ${count - named.length} more` : '';
  return ` (${count} of ${total} accounts: ${named.join(', ')}${more})`;
}
