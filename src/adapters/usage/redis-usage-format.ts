import { IDENTIFIER_PATTERN, type Usage, type UsageTotals } from '../../domain/model/account.ts';
import { PATTERNS } from '../../domain/model/audit-entry.ts';

/**
 * Keys and values in Redis, by replica (its instance id). Anybody with access to Redis can write
 * there: values that do not match these patterns are ignored. Numbers are bounded, so sums stay
 * exact.
 */

/** Of all keys of usage. */
export const USAGE_PREFIX = 'signing-service:usage:';

/** Sorted set of replica names by last write, Unix milliseconds. */
export const REPLICAS_KEY = `${USAGE_PREFIX}instances`;

/** How long counters of a silent replica stay in Redis and in the sums, milliseconds. */
export const RETENTION_MS = 30 * 24 * 3_600_000;

/** Field of {@link formatTotals} in a replica's hash; never an account. */
export const TOTALS_FIELD = 'totals';

/** Totals, and the UUID of the process that wrote them. */
interface WrittenTotals {
  readonly totals: UsageTotals;
  readonly writer: string;
}

const USAGE = new RegExp(`^(\\d{1,12}),(${PATTERNS.time})?,(\\d{1,12})$`);
const TOTALS = /^(\d{1,12}),(\d{1,12}),([0-9a-f-]{36})$/;

/** Hash of a replica: account name → {@link formatUsage}, and its totals. */
export function countersKey(replica: string): string {
  return `${USAGE_PREFIX}counts:${replica}`;
}

/** Whether a member of {@link REPLICAS_KEY} can be an instance id. */
export function isReplicaName(text: unknown): text is string {
  return typeof text === 'string' && IDENTIFIER_PATTERN.test(text);
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

/** `totalSigns,errorCount,writer`. */
export function formatTotals({ totals, writer }: WrittenTotals): string {
  return `${totals.totalSigns},${totals.errorCount},${writer}`;
}

/** Parses {@link formatTotals}; null for any other value. */
export function parseTotals(text: unknown): WrittenTotals | null {
  const match = typeof text === 'string' ? TOTALS.exec(text) : null;
  if (match === null) return null;
  const [, totalSigns, errorCount, writer = ''] = match;
  return { totals: { totalSigns: Number(totalSigns), errorCount: Number(errorCount) }, writer };
}
