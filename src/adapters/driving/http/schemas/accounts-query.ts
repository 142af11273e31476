import type { Request } from 'express';
import { type Issue, onePerPath } from '../../../../domain/model/issue.ts';
import { invalidDataFormat } from '../../../../domain/model/refusal.ts';
import type { AccountPosition } from '../../../../domain/services/sorted-accounts.ts';
import { positionOf } from '../account-cursor.ts';
import { MAX_ISSUES } from '../body-issues.ts';
import { notReceived, type Received } from '../http-refusal.ts';

/** What the list of accounts is asked for. */
export interface AccountsQuery {
  readonly platformId: string | undefined;
  /** Accounts on a page; undefined for all accounts at once. */
  readonly limit: number | undefined;
  readonly after: AccountPosition | null;
}

const PARAMETERS: ReadonlySet<string> = new Set(['platform', 'limit', 'cursor']);

/** Names that an answer may repeat. */
const SHOWN_NAME = /^[A-Za-z][A-Za-z0-9_]{0,23}$/;

/** Accounts on a page. */
export const MOST_ON_A_PAGE = 1000;
const LIMIT = /^[1-9]\d{0,3}$/;

/** Reads `platform`, `limit` and `cursor` of the query; the refusal names each that is wrong, and what is none of them: a page that was asked for in a wrong way is not answered with the whole list. */
export function readAccountsQuery({ query }: Pick<Request, 'query'>): Received<AccountsQuery> {
  const { platform, limit, cursor } = query;
  const issues: Issue[] = [];
  if (platform !== undefined && typeof platform !== 'string') {
    issues.push({ path: 'platform', message: 'must be given once or not at all (query parameter)' });
  }
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
  issues.push(...unknownParameters(query));
  if (issues.length > 0 || size === null || after === undefined) return notReceived(invalidDataFormat(issues));
  return { ok: true, value: { platformId: platform as string | undefined, limit: size, after } };
}

/** With an empty path where the name is not one to repeat. */
function unknownParameters(query: Request['query']): readonly Issue[] {
  const names = Object.keys(query).filter((name) => !PARAMETERS.has(name));
  const issues = names.map((name) => ({
    path: SHOWN_NAME.test(name) ? name : '',
    message: 'is no query parameter of this list, which takes platform, limit and cursor; remove it',
  }));
  return onePerPath(issues.slice(0, MAX_ISSUES));
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
