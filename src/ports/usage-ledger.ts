import type { AccountIds, Usage, UsageSharing, UsageTotals } from '../domain/model/account.ts';
import type { AuditRecord } from '../domain/model/audit-entry.ts';

/** Fields of an audit record that counters use. */
export type CountedRecord = Pick<AuditRecord, 'time' | 'event' | 'outcome' | 'platformId' | 'accountId' | 'algorithm'>;

/** Counters summed over replicas. */
export interface UsageSum {
  readonly totals: UsageTotals;
  /** In the order of the accounts that were requested. */
  readonly usages: readonly Usage[];
}

/**
 * Counts the use of each account's key, as a projection of the audit record: counting the records
 * again gives the same numbers. An adapter MUST NOT throw or reject, and `count` MUST NOT wait.
 *
 * This replica's own counters MUST NOT fall while its process exists. Sums MAY include other
 * replicas, and MAY fall while those cannot be read; `sharing` MUST then report it.
 */
export interface UsageLedger {
  readonly sharing: UsageSharing;

  /**
   * Counts a durable record; called once for each, in order. Event `sign` with outcome `success` is
   * a signature; the latest of their times is the last one. Other outcomes are errors: of the
   * account if the record has an algorithm, else (no such account) only of the totals. Records
   * without an account, and other events, don't count.
   */
  count(record: CountedRecord): void;

  /** This replica's own. */
  usage(platformId: string, accountId: string): Usage;

  /** This replica's own. */
  totals(): UsageTotals;

  /** Those of all replicas, read now. @param accounts a page of them, or none for the totals */
  sum(accounts: readonly AccountIds[]): Promise<UsageSum>;
}
