import type { AuditEntry, AuditEvent } from '../domain/model/audit-entry.ts';

/** A record of the audit file, as far as people look for it; see docs/AUDIT_FORMAT.md for every field. */
export interface FollowedRecord extends Omit<AuditEntry, 'event' | 'algorithm'> {
  /** Number in its chain, from 1. */
  readonly seq: number;
  readonly event: AuditEvent | 'checkpoint' | 'segment';
  readonly algorithm: string | null;
}

/** What a filter can go by. */
export type FilterFields = Pick<FollowedRecord, 'time' | 'event' | 'platformId' | 'accountId'> & {
  readonly outcome: string;
};

/** What a follower came upon. */
export type Sighting =
  /** A record whose content has the hash that it says; `line` is its line, exactly as it stands in the file, without the newline. */
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

/** The audit file can not be read; the message names it and says what to do. */
export class AuditFileUnreadableError extends Error {
  override readonly name = 'AuditFileUnreadableError';
}

/**
 * Reads the audit file while it is written.
 *
 * An adapter MUST give each record once, whole, in the order of the chain, whatever becomes of the file meanwhile: renamed and begun anew (once or often between two looks), copied and
 * truncated, removed and made again, not there yet. Records that it can not find MUST be told by a notice where they are missing. It MUST bound what it holds, and never write.
 * It MAY pass over records that the filter does not want, never over notices. It rejects with AuditFileUnreadableError when the file can't be read at the start,
 * or when it does not follow and there is none.
 */
export interface AuditFollower {
  follow(request: FollowRequest): AsyncIterable<Sighting>;
}
