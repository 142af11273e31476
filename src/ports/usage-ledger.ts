import type { AuditEntry } from '../domain/model/audit-entry.ts';
import type { Usage, UsageSharing, UsageTotals } from '../domain/model/usage.ts';

/** The fields of an audit record that counters are made from. */
export interface CountedRecord extends Pick<AuditEntry, 'time' | 'platformId' | 'accountId'> {
  readonly event: string;
  readonly outcome: string;
  readonly algorithm: string | null;
}

/**
 * Counts the use of each account's key. The counters are a projection of the audit record: nothing
 * else changes them, so that counting the records again gives the same numbers. An adapter MUST NOT
 * throw or wait: counters never delay a signature.
 *
 * An adapter MAY add the counters of other replicas to its readings. It MUST then show its own at
 * once and those of others once it knows them, let none fall while their records and its process
 * exist, and report in `sharing` whether the readings are current.
 */
export interface UsageLedger {
  readonly sharing: UsageSharing;

  /**
   * Counts one durable record; each is given once, in order. Event `sign` with outcome `success` is
   * a signature of the account, and the latest of their times that of its last one. Any other
   * outcome is an error: of the account where the record names an algorithm, else (no such account)
   * in the totals only. Records without an account, and other events, are not counted.
   */
  count(record: CountedRecord): void;

  usage(platformId: string, accountId: string): Usage;

  totals(): UsageTotals;
}
