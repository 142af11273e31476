import type { Usage, UsageTotals } from '../domain/model/usage.ts';

/** Counts what each account's key was used for. An adapter MUST NOT throw or wait: counters never hold up a signature. */
export interface UsageLedger {
  /** One signature was released; `at` is ISO 8601 UTC, `durationMs` the time from request to durable record. */
  recordSignature(platformId: string, accountId: string, at: string, durationMs: number): void;

  /** One attempt ended without a signature. Null ids: the account is unknown, and only the totals count it. */
  recordError(platformId: string | null, accountId: string | null): void;

  usage(platformId: string, accountId: string): Usage;

  totals(): UsageTotals;
}
