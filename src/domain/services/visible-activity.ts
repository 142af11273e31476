import type { AccountIds } from '../model/account.ts';
import type { ActivityReport, RefusedBy } from './recent-activity.ts';
import type { ReloadResult } from './registry-changes.ts';

type IsReadable = (account: AccountIds) => boolean;

/**
 * A report for a caller that may not read all accounts: without names, keys and records of the
 * others, whose refusals and changes are only counted.
 */
export function hideAccounts(report: ActivityReport, isReadable: IsReadable): ActivityReport {
  const { refusedBy, records, lastLoad } = report;
  return {
    ...report,
    refusedBy: hideRefused(refusedBy, isReadable),
    records: records.filter(
      ({ platformId, accountId }) => platformId === null || isReadable({ platformId, accountId: accountId ?? '' }),
    ),
    lastLoad: lastLoad === null ? null : hideLoaded(lastLoad, isReadable),
  };
}

function hideRefused({ accounts, others, ...rest }: RefusedBy, isReadable: IsReadable): RefusedBy {
  const hidden = accounts.filter((account) => !isReadable(account));
  const count = hidden.reduce((total, refused) => total + refused.count, others.accounts);
  return { ...rest, accounts: accounts.filter(isReadable), others: { ...others, accounts: count } };
}

function hideLoaded({ accounts, keys, ...rest }: ReloadResult, isReadable: IsReadable): ReloadResult {
  return { ...rest, accounts: hideListed(accounts, isReadable), keys: hideListed(keys, isReadable) };
}

type Entry = string | { readonly account: string };

/** Entries that are left out count as omitted, see `BoundedLists`. */
function hideListed<Lists extends { readonly more: { readonly [list: string]: number } }>(
  lists: Lists,
  isReadable: IsReadable,
): Lists {
  const shown = Object.entries(lists.more).map(([name, more]) => {
    const entries = (lists as unknown as { readonly [list: string]: readonly Entry[] })[name] ?? [];
    const readable = entries.filter((entry) =>
      isReadable(parseName(typeof entry === 'string' ? entry : entry.account)),
    );
    return { name, readable, more: more + entries.length - readable.length };
  });
  return {
    ...Object.fromEntries(shown.map(({ name, readable }) => [name, readable])),
    more: Object.fromEntries(shown.map(({ name, more }) => [name, more])),
  } as unknown as Lists;
}

/** Of `platformId/accountId`. */
function parseName(name: string): AccountIds {
  const [platformId = '', accountId = ''] = name.split('/');
  return { platformId, accountId };
}
