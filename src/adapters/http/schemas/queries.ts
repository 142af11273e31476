import { z } from 'zod';
import { IDENTIFIER_PATTERN } from '../../../domain/model/account.ts';
import type { AccountPosition } from '../../../domain/services/account-service.ts';

/**
 * An optional query parameter.
 * @param what a valid value, in words
 * @param parse undefined for an invalid value
 */
function parameter<Value>(what: string, parse: (text: string) => Value | undefined) {
  const read = z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue(`must be ${what} (query parameter)`);
    return z.NEVER;
  });
  return read.exactOptional();
}

/** `?include=`: one of these names, or all, separated by commas. */
function include<Name extends string>(...known: readonly Name[]) {
  const all = known.length > 1 ? `, or ${known.join(',')}` : '';
  return parameter(`${known.join(' or ')}${all}, or absent`, (text): readonly Name[] | undefined => {
    const names = text.split(',');
    const found = known.filter((name) => names.includes(name));
    return found.length === names.length ? found : undefined;
  });
}

/** What `?include=` adds to a response: the exact text that was signed, or the request to send. */
export type Include = 'payload' | 'request';

/** Query of `POST /sign`. */
export const signQuery = z.object({
  include: include<Include>('payload', 'request'),
  dryRun: parameter('true or absent', (text) => text === 'true' || undefined),
});

/** Query of `POST /sign/batch`. */
export const signBatchQuery = signQuery.omit({ dryRun: true });

/** Query of `POST /verify`. */
export const verifyQuery = z.object({ include: include('payload') });

/** Query of `GET /status`. */
export const statusQuery = z.object({ include: include('activity') });

const text = z.string().exactOptional();

/** Query of `GET /console`, which its page reads. */
export const consoleQuery = z.object({ q: text, sort: text, page: text });

/** Not allowed in IDs. */
const SEPARATOR = ' ';

/** An opaque cursor: base64url (RFC 4648 §5) of a position. */
export function formatCursor({ platformId, accountId }: AccountPosition): string {
  return Buffer.from(`${platformId}${SEPARATOR}${accountId}`).toString('base64url');
}

/** The position of a cursor; undefined if this service did not make it. */
function parseCursor(cursor: string): AccountPosition | undefined {
  const [platformId = '', accountId = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split(SEPARATOR);
  if (!IDENTIFIER_PATTERN.test(platformId) || !IDENTIFIER_PATTERN.test(accountId)) return undefined;
  return formatCursor({ platformId, accountId }) === cursor ? { platformId, accountId } : undefined;
}

/** Maximum page size. */
const MAX_PAGE_SIZE = 1000;

/** Query of `GET /accounts`; without `limit`, the whole list. */
export const accountsQuery = z
  .object({
    platform: text,
    limit: parameter(`an integer from 1 to ${MAX_PAGE_SIZE}`, (text) =>
      /^[1-9]\d{0,3}$/.test(text) && Number(text) <= MAX_PAGE_SIZE ? Number(text) : undefined,
    ),
    cursor: parameter('the nextCursor of the previous page', parseCursor),
  })
  .refine(({ limit, cursor }) => cursor === undefined || limit !== undefined, {
    path: ['limit'],
    message: 'is required with cursor (query parameter)',
  });
