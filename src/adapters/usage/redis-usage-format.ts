import { IDENTIFIER_PATTERN, type Usage, type UsageTotals } from '../../domain/model/account.ts';
import { PATTERNS } from '../../domain/model/audit-entry.ts';

/**
 * Keys and values in Redis, by replica (its instance id). Anybody with access to Redis can write
 * there: values that do not match these patterns are ignored. Numbers are bounded, so sums stay
 * exact.
 */

export const USAGE_PREFIX = 'signing-service:usage:';

/** Sorted set of replica names by last write, Unix milliseconds. */
export const REPLICAS_KEY = `${USAGE_PREFIX}instances`;

/** How long counters of a silent replica stay in Redis and in the sums, milliseconds. */
export const RETENTION_MS = 30 * 24 * 3_600_000;

/** Field of {@link formatSummary} in a replica's hash; never an account. */
export const SUMMARY_FIELD = 'totals';

export interface Summary {
  readonly totals: UsageTotals;
  /** UUID of the last complete write of its accounts. */
  readonly writeId: string;
}

const USAGE = new RegExp(`^(\\d{1,12}),(${PATTERNS.time})?,(\\d{1,12})$`);
const SUMMARY = /^(\d{1,12}),(\d{1,12}),([0-9a-f-]{36})$/;

/** Hash of a replica: {@link accountField} → {@link formatUsage}, and its totals. */
export function countersKey(replica: string): string {
  return `${USAGE_PREFIX}counts:${replica}`;
}

/** Lease of a replica's name: the holder's token, with expiry. */
export function leaseKey(replica: string): string {
  return `${USAGE_PREFIX}owner:${replica}`;
}

export function isReplicaName(text: unknown): text is string {
  return typeof text === 'string' && IDENTIFIER_PATTERN.test(text);
}

/** `platformId/accountId`; ids have no `/`. */
export function accountField(platformId: string, accountId: string): string {
  return `${platformId}/${accountId}`;
}

export function isAccountField(text: unknown): text is string {
  const ids = typeof text === 'string' ? text.split('/') : [];
  return ids.length === 2 && ids.every((id) => IDENTIFIER_PATTERN.test(id));
}

/** `totalSigns,lastSignAt,errorCount`. */
export function formatUsage({ totalSigns, lastSignAt, errorCount }: Usage): string {
  return `${totalSigns},${lastSignAt ?? ''},${errorCount}`;
}

/** Parses {@link formatUsage}; null for any other value. */
export function parseUsage(text: unknown): Usage | null {
  const match = typeof text === 'string' ? USAGE.exec(text) : null;
  if (match === null) return null;
  return { totalSigns: Number(match[1]), lastSignAt: match[2] ?? null, errorCount: Number(match[3]) };
}

/** `totalSigns,errorCount,writeId`. */
export function formatSummary({ totals, writeId }: Summary): string {
  return `${totals.totalSigns},${totals.errorCount},${writeId}`;
}

/** Parses {@link formatSummary}; null for any other value. */
export function parseSummary(text: unknown): Summary | null {
  const match = typeof text === 'string' ? SUMMARY.exec(text) : null;
  if (match === null) return null;
  const [, totalSigns, errorCount, writeId = ''] = match;
  return { totals: { totalSigns: Number(totalSigns), errorCount: Number(errorCount) }, writeId };
}
