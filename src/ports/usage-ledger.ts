import type { AuditEntry } from '../domain/model/audit-entry.ts';
import type { Usage, UsageSharing, UsageTotals } from '../domain/model/usage.ts';

/** What of an audit record the counters are made of. */
export interface CountedRecord extends Pick<AuditEntry, 'time' | 'platformId' | 'accountId'> {
  readonly event: string;
  readonly outcome: string;
  readonly algorithm: string | null;
}

/**
 * Counts what each account's key was used for. The counters are a projection of the audit record: nothing else changes them, so whoever counts the records
 * again gets the same. An adapter MUST NOT throw or wait: counters never hold up a signature.
 *
 * An adapter MAY share its counters with those of other replicas, and add theirs to the readings. It MUST then show its own at once, those of others as it
 * comes to know of them, and none that goes down; and say in `sharing` how far that got.
 */
export interface UsageLedger {
  readonly sharing: UsageSharing;

  /**
   * Takes one durable record into account; each is given once, in its order. Of event `sign`, outcome `success` is a signature of the account, and the latest of their times that of its last one; any other
   * outcome is an error, of the account where the record names its algorithm, else (no such account) only in the totals. Records that name no account count nowhere,
   * nor do other events.
   */
  count(record: CountedRecord): void;

  usage(platformId: string, accountId: string): Usage;

  totals(): UsageTotals;
}
