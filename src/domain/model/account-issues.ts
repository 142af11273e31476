import type { Issue } from './errors.ts';

/** Clause about a `platformId` that is not configured. */
export const UNKNOWN_PLATFORM = 'is not a configured platform; add it first with `signing-service platform add`';

const MAX_ISSUES = 20;

/** At most 20 issues, and one that counts the others. */
export function limitIssues(issues: readonly Issue[]): readonly Issue[] {
  return [...issues.slice(0, MAX_ISSUES), ...listOmitted(issues.length - MAX_ISSUES)];
}

function listOmitted(count: number): readonly Issue[] {
  return count <= 0 ? [] : [{ path: '', message: `and ${count} more issues` }];
}

/** Accounts or platforms named in an issue that many share. */
export const MAX_NAMED = 3;

/** The account that an issue is about. */
export interface InvalidAccount {
  /** Path in the configuration: `accounts[3]`. */
  readonly path: string;
  /** `platformId/accountId`; null without printable IDs. */
  readonly name: string | null;
  /** Path within the account: `.key`; empty for the whole account. */
  readonly field: string;
  /** Message of the issue if several accounts have it; undefined: the same as for one. */
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
  const names = accounts.map(({ name, path }) => name ?? path);
  return ` (${describeAffected('account', names, { count, total })})`;
}

/**
 * What an issue concerns: `account alpha/a`, `200 of 200 accounts: alpha/a, alpha/b, alpha/c and
 * 197 more`.
 * @param names at least the first ones
 * @param counts `count` of those concerned, `total` in the configuration
 */
export function describeAffected(
  noun: string,
  names: readonly string[],
  { count, total }: { readonly count: number; readonly total: number },
): string {
  if (count === 1) return `${noun} ${names[0]}`;
  const named = names.slice(0, MAX_NAMED);
  const more = count > named.length ? ` and ${count - named.length} more` : '';
  return `${count} of ${total} ${noun}s: ${named.join(', ')}${more}`;
}
