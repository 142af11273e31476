import type { Request } from 'express';
import type { Issue } from '../../../domain/model/errors.ts';
import { accepted, type Outcome, refused } from '../../../domain/model/refusal.ts';
import { refuseRequest } from '../refusals.ts';

/** Orders of the account table by query value, as shown. */
export const SORT_ORDERS = {
  name: 'Platform and account',
  alias: 'Alias',
  used: 'Last signature',
  signatures: 'Most signatures',
  errors: 'Most errors',
} as const;

/** See {@link SORT_ORDERS}. */
export type SortOrder = keyof typeof SORT_ORDERS;

/** Longest search text, UTF-16 code units. */
export const MAX_SEARCH_LENGTH = 200;

/** What the account table shows. */
export interface ConsoleQuery {
  /** Words that accounts must have; empty: all accounts. */
  readonly search: string;
  readonly sort: SortOrder;
  /** From 1. */
  readonly page: number;
}

const PAGE_PATTERN = /^[1-9]\d{0,5}$/;

/** Parses `q`, `sort` and `page`, each present at most once. */
export function readConsoleQuery(query: Request['query']): Outcome<ConsoleQuery> {
  const { q: search = '', sort = 'name', page = '1' } = query as { readonly [name: string]: string };
  const issues: Issue[] = [];
  if (search.length > MAX_SEARCH_LENGTH) {
    issues.push({ path: 'q', message: `must have at most ${MAX_SEARCH_LENGTH} characters (query parameter)` });
  }
  if (!isSortOrder(sort)) {
    const names = Object.keys(SORT_ORDERS).join(', ');
    return refused(
      refuseRequest('InvalidDataFormat', { issues: [...issues, { path: 'sort', message: `must be one of ${names}` }] }),
    );
  }
  if (!PAGE_PATTERN.test(page))
    issues.push({ path: 'page', message: 'must be a page number from 1 (query parameter)' });
  if (issues.length > 0) return refused(refuseRequest('InvalidDataFormat', { issues }));
  return accepted({ search: search.trim(), sort, page: Number(page) });
}

function isSortOrder(text: string): text is SortOrder {
  return Object.hasOwn(SORT_ORDERS, text);
}

/** Relative address of the page with this query, without defaults. */
export function formatConsoleQuery({ search, sort, page }: ConsoleQuery): string {
  const parameters = new URLSearchParams();
  if (search !== '') parameters.set('q', search);
  if (sort !== 'name') parameters.set('sort', sort);
  if (page !== 1) parameters.set('page', String(page));
  return `?${parameters}`;
}
