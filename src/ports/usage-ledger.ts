import type { Usage, UsageSharing, UsageTotals } from '../domain/model/account.ts';
import type { AuditRecord } from '../domain/model/audit-entry.ts';

/** Fields of an audit record that counters use. */
export type CountedRecord = Pick<AuditRecord, 'time' | 'event' | 'outcome' | 'platformId' | 'accountId' | 'algorithm'>;

/**
 * Counts the use of each account's key, as a projection of the audit record: counting the records
 * again gives the same numbers. An adapter MUST NOT throw or wait.
 *
 * It MAY add the counters of other replicas. It MUST then show its own at once and others once
 * known, let none fall while their records and its process exist, and report in `sharing` whether
 * the readings are current.
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

  usage(platformId: string, accountId: string): Usage;

  totals(): UsageTotals;
}
