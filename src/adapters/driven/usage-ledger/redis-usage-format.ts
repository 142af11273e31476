import { PATTERNS } from '../../../audit-trail/audit-record.ts';
import { IDENTIFIER_PATTERN } from '../../../domain/model/identifier.ts';
import type { Usage, UsageTotals } from '../../../domain/model/usage.ts';

/*
 * The keys and texts in Redis, by replica (its instance id). Anybody with access to Redis can write
 * there: what does not fit these patterns is ignored. Numbers are bounded, so that sums stay exact.
 */

/** Prefix of all keys. */
export const USAGE_PREFIX = 'signing-service:usage:';

/** Sorted set: name of each replica, by the time of its last write, Unix milliseconds. */
export const REPLICAS_KEY = `${USAGE_PREFIX}instances`;

/** How long the counters of a replica stay in Redis, and in the sums, after its last write, ms. */
export const KEPT_MS = 30 * 24 * 3_600_000;

/** Field of a replica's hash that holds {@link formatSummary}; no account has that name. */
export const SUMMARY_FIELD = 'totals';

/** Totals of a replica. */
export interface Summary {
  readonly totals: UsageTotals;
  /** UUID of the last time that the replica wrote all its accounts. */
  readonly writeId: string;
}

const USAGE = new RegExp(`^(\\d{1,12}),(${PATTERNS.time})?,(\\d{1,12})$`);
const SUMMARY = /^(\d{1,12}),(\d{1,12}),([0-9a-f-]{36})$/;

/** Hash of a replica: each account ({@link accountField}) → {@link formatUsage}, and its totals. */
export function countsKey(replica: string): string {
  return `${USAGE_PREFIX}counts:${replica}`;
}

/** Lease of a replica's name: the token of the process that holds it; expires. */
export function leaseKey(replica: string): string {
  return `${USAGE_PREFIX}owner:${replica}`;
}

/** Whether a text is the name of a replica. */
export function isReplicaName(text: unknown): text is string {
  return typeof text === 'string' && IDENTIFIER_PATTERN.test(text);
}

/** `platformId/accountId`: no id contains a `/`. */
export function accountField(platformId: string, accountId: string): string {
  return `${platformId}/${accountId}`;
}

/** Whether a text is an {@link accountField}. */
export function isAccountField(text: unknown): text is string {
  const ids = typeof text === 'string' ? text.split('/') : [];
  return ids.length === 2 && ids.every((id) => IDENTIFIER_PATTERN.test(id));
}

/** `totalSigns,lastSignAt,errorCount`. */
export function formatUsage({ totalSigns, lastSignAt, errorCount }: Usage): string {
  return `${totalSigns},${lastSignAt ?? ''},${errorCount}`;
}

/** The usage in a text of {@link formatUsage}; null for any other value. */
export function parseUsage(text: unknown): Usage | null {
  const match = typeof text === 'string' ? USAGE.exec(text) : null;
  if (match === null) return null;
  return { totalSigns: Number(match[1]), lastSignAt: match[2] ?? null, errorCount: Number(match[3]) };
}

/** `totalSigns,errorCount,writeId`. */
export function formatSummary({ totals, writeId }: Summary): string {
  return `${totals.totalSigns},${totals.errorCount},${writeId}`;
}

/** The totals in a text of {@link formatSummary}; null for any other value. */
export function parseSummary(text: unknown): Summary | null {
  const match = typeof text === 'string' ? SUMMARY.exec(text) : null;
  if (match === null) return null;
  const [, totalSigns, errorCount, writeId = ''] = match;
  return { totals: { totalSigns: Number(totalSigns), errorCount: Number(errorCount) }, writeId };
}
