import { AUDIT_EVENTS, type AuditEntry } from '../domain/model/audit-entry.ts';

/** What a line of the audit file may be about: what the service does, and `checkpoint` and `segment`, which the file itself needs. */
export const RECORD_EVENTS = [...AUDIT_EVENTS, 'checkpoint', 'segment'] as const;

/** See {@link RECORD_EVENTS}. */
export type RecordEvent = (typeof RECORD_EVENTS)[number];

/** What a record says before it has its place in the chain. */
export type RecordEntry = Omit<AuditEntry, 'event' | 'traceparent'> & {
  readonly event: RecordEvent;
  /** Absent from the line where it is null or not given. */
  readonly traceparent?: AuditEntry['traceparent'] | undefined;
};

/** How far a chain of records reaches: its last record. */
export interface ChainHead {
  /** Its number; 0 before the first record. */
  readonly seq: number;
  /** `sha256:<64 hex>`; null before the first record. */
  readonly hash: string | null;
}

/** Where every chain begins. */
export const EMPTY_CHAIN: ChainHead = { seq: 0, hash: null };

/** One line of the audit file. */
export interface AuditRecord extends RecordEntry {
  /** Number in the chain, from 1, without a gap. */
  readonly seq: number;
  /** `hash` of the record before; null in the first one of a chain. */
  readonly prevHash: string | null;
  /** SHA-256 over the RFC 8785 form of this record without this field. */
  readonly hash: string;
}

/** No line is longer, its newline included: what a request adds to a record is bounded. Bytes. */
export const MAX_LINE_BYTES = 65_536;
