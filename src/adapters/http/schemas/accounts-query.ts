import type { Request } from 'express';
import { IDENTIFIER_PATTERN } from '../../../domain/model/account.ts';
import type { Issue } from '../../../domain/model/errors.ts';
import { accepted, type Outcome, refused } from '../../../domain/model/refusal.ts';
import type { AccountPosition } from '../../../domain/services/account-service.ts';
import { refuseRequest } from '../refusals.ts';

/** Not allowed in IDs. */
const SEPARATOR = ' ';

/** An opaque cursor: base64url (RFC 4648 §5) of a position. */
export function formatCursor({ platformId, accountId }: AccountPosition): string {
  return Buffer.from(`${platformId}${SEPARATOR}${accountId}`).toString('base64url');
}

/** The position of a cursor; undefined if this service did not make it. */
export function parseCursor(cursor: string): AccountPosition | undefined {
  const [platformId = '', accountId = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split(SEPARATOR);
  if (!IDENTIFIER_PATTERN.test(platformId) || !IDENTIFIER_PATTERN.test(accountId)) return undefined;
  return formatCursor({ platformId, accountId }) === cursor ? { platformId, accountId } : undefined;
}

/** The parsed query of `GET /accounts`. */
export interface AccountsQuery {
  readonly platformId: string | undefined;
  /** Page size; undefined for the whole list. */
  readonly limit: number | undefined;
  readonly after: AccountPosition | null;
}

/** Maximum page size. */
export const MAX_PAGE_SIZE = 1000;
const LIMIT_PATTERN = /^[1-9]\d{0,3}$/;

/** Parses `platform`, `limit` and `cursor`, each present at most once. */
export function readAccountsQuery({ platform, limit, cursor }: Request['query']): Outcome<AccountsQuery> {
  const issues: Issue[] = [];
  const pageSize = readLimit(limit);
  if (pageSize === null) {
    issues.push({ path: 'limit', message: `must be an integer from 1 to ${MAX_PAGE_SIZE} (query parameter)` });
  }
  const after = cursor === undefined ? null : readCursor(cursor);
  if (after === undefined) {
    issues.push({ path: 'cursor', message: 'must be the nextCursor of the previous page (query parameter)' });
  }
  if (cursor !== undefined && limit === undefined) {
    issues.push({ path: 'limit', message: 'is required with cursor (query parameter)' });
  }
  if (issues.length > 0 || pageSize === null || after === undefined)
    return refused(refuseRequest('InvalidDataFormat', { issues }));
  return accepted({ platformId: platform as string | undefined, limit: pageSize, after });
}

/** Null if invalid. */
function readLimit(limit: unknown): number | undefined | null {
  if (limit === undefined) return undefined;
  const pageSize = typeof limit === 'string' && LIMIT_PATTERN.test(limit) ? Number(limit) : Number.NaN;
  return pageSize <= MAX_PAGE_SIZE ? pageSize : null;
}

function readCursor(cursor: unknown): AccountPosition | undefined {
  return typeof cursor === 'string' ? parseCursor(cursor) : undefined;
}
