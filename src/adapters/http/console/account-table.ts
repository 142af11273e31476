import { mergeSort } from '../../../domain/flow/merge-sort.ts';
import { TimeSlice } from '../../../domain/flow/time-slice.ts';
import { compareAccountIds } from '../../../domain/model/account.ts';
import type { Caller } from '../../../domain/model/sign-request.ts';
import { compareText } from '../../../domain/model/text/compare-text.ts';
import type { AccountService, AccountWithUsage } from '../../../domain/services/account-service.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ConsoleQuery, SortOrder } from './console-query.ts';

/** Accounts of a page. */
export const PAGE_SIZE = 50;

/** Accounts read at a time, in a fraction of a millisecond. */
const SLICE_SIZE = 100;

/** One page of the accounts that a search finds. */
export interface AccountTable {
  readonly rows: readonly AccountWithUsage[];
  /** Number of accounts found. */
  readonly found: number;
  /** Number of accounts that the caller may read. */
  readonly total: number;
  /** From 1, at most the last one. */
  readonly page: number;
  readonly pageCount: number;
}

type Compare = (left: AccountWithUsage, right: AccountWithUsage) => number;

const byName: Compare = (left, right) => compareAccountIds(left.profile, right.profile);

const COMPARISONS: { readonly [Order in SortOrder]: Compare } = {
  name: byName,
  alias: (left, right) => compareText(left.profile.alias, right.profile.alias),
  used: (left, right) => compareText(right.usage.lastSignAt ?? '', left.usage.lastSignAt ?? ''),
  signatures: (left, right) => right.usage.totalSigns - left.usage.totalSigns,
  errors: (left, right) => right.usage.errorCount - left.usage.errorCount,
};

/**
 * The accounts that the caller may read and that have every word of the search; equal ones are
 * sorted by name. Reads in slices, so that requests do not wait for a long list.
 */
export async function readAccountTable(
  accounts: AccountService,
  caller: Caller,
  { search, sort, page: wanted }: ConsoleQuery,
  clock: Clock,
): Promise<AccountTable> {
  const list = accounts.list(caller);

  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const slice = new TimeSlice(clock);
  const found: AccountWithUsage[] = [];
  let total = 0;
  for (let start = 0; start < list.length; start += SLICE_SIZE) {
    const read = await list.slice(start, start + SLICE_SIZE);
    total += read.length;
    found.push(...read.filter((account) => hasWords(account, words)));
    await slice.yieldIfExpired();
  }
  const compare = COMPARISONS[sort];
  const sorted = await mergeSort(found, (left, right) => compare(left, right) || byName(left, right), slice);
  const pageCount = Math.max(1, Math.ceil(sorted.length / PAGE_SIZE));
  const page = Math.min(wanted, pageCount);
  const rows = sorted.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  return { rows, found: sorted.length, total, page, pageCount };
}

function hasWords({ profile }: AccountWithUsage, words: readonly string[]): boolean {
  const { platformId, accountId, alias, address, publicKey, status, environment } = profile;
  const text = [`${platformId}/${accountId}`, alias, address, publicKey, status, environment].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}
