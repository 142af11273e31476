import type { Request } from 'express';
import type { Issue } from '../../../../domain/model/issue.ts';
import { accepted, refused } from '../../../../domain/model/outcome.ts';
import { invalidDataFormat } from '../../../../domain/model/refusal.ts';
import type { AccountPosition } from '../../../../domain/services/sorted-accounts.ts';
import { positionOf } from '../account-cursor.ts';
import type { Received } from '../http-refusal.ts';

/** What the list of accounts is asked for. */
export interface AccountsQuery {
  readonly platformId: string | undefined;
  /** Accounts on a page; undefined for all accounts at once. */
  readonly limit: number | undefined;
  readonly after: AccountPosition | null;
}

/** Accounts on a page. */
export const MOST_ON_A_PAGE = 1000;
const LIMIT = /^[1-9]\d{0,3}$/;

/**
 * Reads `platform`, `limit` and `cursor` of a query that has each at most once; the refusal names
 * each that is wrong.
 */
export function readAccountsQuery({ query }: Pick<Request, 'query'>): Received<AccountsQuery> {
  const { platform, limit, cursor } = query;
  const issues: Issue[] = [];
  const size = readLimit(limit);
  if (size === null) {
    issues.push({ path: 'limit', message: `must be a whole number from 1 to ${MOST_ON_A_PAGE} (query parameter)` });
  }
  const after = cursor === undefined ? null : readCursor(cursor);
  if (after === undefined) {
    issues.push({ path: 'cursor', message: 'must be the nextCursor of the page before (query parameter)' });
  }
  if (cursor !== undefined && limit === undefined) {
    issues.push({ path: 'limit', message: 'must be given where cursor is (query parameter)' });
  }
  if (issues.length > 0 || size === null || after === undefined) return refused(invalidDataFormat(issues));
  return accepted({ platformId: platform as string | undefined, limit: size, after });
}

/** Null when it is none. */
function readLimit(limit: unknown): number | undefined | null {
  if (limit === undefined) return undefined;
  const size = typeof limit === 'string' && LIMIT.test(limit) ? Number(limit) : Number.NaN;
  return size <= MOST_ON_A_PAGE ? size : null;
}

function readCursor(cursor: unknown): AccountPosition | undefined {
  return typeof cursor === 'string' ? positionOf(cursor) : undefined;
}
