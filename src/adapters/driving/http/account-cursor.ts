import { IDENTIFIER_PATTERN } from '../../../domain/model/identifier.ts';
import type { AccountPosition } from '../../../domain/services/sorted-accounts.ts';

/** Stands in no id. */
const BETWEEN = ' ';

/** A position in the list of accounts as callers get it: base64url text (RFC 4648 §5) that they hand back as it is. */
export function cursorOf({ platformId, accountId }: AccountPosition): string {
  return Buffer.from(`${platformId}${BETWEEN}${accountId}`).toString('base64url');
}

/** The position of a cursor; undefined when this service did not make it. */
export function positionOf(cursor: string): AccountPosition | undefined {
  const [platformId = '', accountId = ''] = Buffer.from(cursor, 'base64url').toString('latin1').split(BETWEEN);
  if (!IDENTIFIER_PATTERN.test(platformId) || !IDENTIFIER_PATTERN.test(accountId)) return undefined;
  return cursorOf({ platformId, accountId }) === cursor ? { platformId, accountId } : undefined;
}
