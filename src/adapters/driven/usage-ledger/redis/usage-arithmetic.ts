import type { Usage, UsageTotals } from '../../../../domain/model/usage.ts';
import { laterTime } from '../later-time.ts';

/** Of an account that was not used. */
export const NO_USAGE: Usage = { totalSigns: 0, lastSignAt: null, errorCount: 0 };

/** Of a service that was not used. */
export const NO_TOTALS: UsageTotals = { totalSigns: 0, errorCount: 0 };

/** What two counted, who counted different records. */
export function sumOf(one: Usage, other: Usage): Usage {
  return {
    totalSigns: one.totalSigns + other.totalSigns,
    lastSignAt: latestOf(one, other),
    errorCount: one.errorCount + other.errorCount,
  };
}

/** What of one counter is known, by two readings of it: it never goes down, so that the higher one is the newer. */
export function highestOf(one: Usage, other: Usage): Usage {
  return {
    totalSigns: Math.max(one.totalSigns, other.totalSigns),
    lastSignAt: latestOf(one, other),
    errorCount: Math.max(one.errorCount, other.errorCount),
  };
}

/** What `usage` has more than `known`; null when that is nothing. */
export function excessOf(usage: Usage, known: Usage): Usage | null {
  const { totalSigns, errorCount } = excessOfTotals(usage, known);
  return totalSigns + errorCount === 0 ? null : { totalSigns, lastSignAt: usage.lastSignAt, errorCount };
}

/** Totals of two who counted different records. */
export function sumOfTotals(one: UsageTotals, other: UsageTotals): UsageTotals {
  return { totalSigns: one.totalSigns + other.totalSigns, errorCount: one.errorCount + other.errorCount };
}

/** The higher of two readings. */
export function highestOfTotals(one: UsageTotals, other: UsageTotals): UsageTotals {
  return {
    totalSigns: Math.max(one.totalSigns, other.totalSigns),
    errorCount: Math.max(one.errorCount, other.errorCount),
  };
}

/** What `totals` have more than `known`, each at least 0. */
export function excessOfTotals(totals: UsageTotals, known: UsageTotals): UsageTotals {
  return {
    totalSigns: Math.max(0, totals.totalSigns - known.totalSigns),
    errorCount: Math.max(0, totals.errorCount - known.errorCount),
  };
}

function latestOf({ lastSignAt }: Usage, other: Usage): string | null {
  return other.lastSignAt === null ? lastSignAt : laterTime(lastSignAt, other.lastSignAt);
}
