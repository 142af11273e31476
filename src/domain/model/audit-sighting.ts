import type { AuditEntry, AuditEvent } from './audit-entry.ts';

/** A record of the audit file, as far as people look for it; see docs/AUDIT_FORMAT.md for every field. */
export interface FollowedRecord extends Omit<AuditEntry, 'event' | 'algorithm'> {
  /** Number in its chain, from 1. */
  readonly seq: number;
  readonly event: AuditEvent | 'segment';
  readonly algorithm: string | null;
}

/** What a filter can go by. */
export type FilterFields = Pick<FollowedRecord, 'time' | 'event' | 'platformId' | 'accountId'> & {
  readonly outcome: string;
};

/** What a follower came upon. */
export type Sighting =
  /** A record; `line` is its line, exactly as it stands in the file, without the newline. */
  | { readonly kind: 'record'; readonly record: FollowedRecord; readonly line: string }
  /** A line that is no record, records that are missing, or something that happened to the file: one sentence, which may hold characters of its path. */
  | { readonly kind: 'notice'; readonly text: string };

/** What is to be followed, and from where on. */
export interface FollowRequest {
  /** Path of the file that is written to now. */
  readonly file: string;
  /**
   * Begins with the last so many lines (records, when there is a filter), or with the first record of a time (ISO 8601 UTC with milliseconds) or later, also in rotated files; what stands behind
   * that comes, too, whatever a clock that was set back says.
   */
  readonly from: { readonly lines: number } | { readonly since: string };
  /** Which records are given; null: all. */
  readonly isWanted: ((record: FilterFields) => boolean) | null;
  /** Whether to wait for what is written next; otherwise it ends with what is there. */
  readonly follow: boolean;
  /** Ends it within a second, without an error; an AbortSignal is one. */
  readonly signal: { readonly aborted: boolean };
}
