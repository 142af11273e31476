import type { AuditRecord } from './audit-entry.ts';

/** What to verify, and with which keys. */
export interface AuditVerification {
  /**
   * Paths of audit files, and of folders for all segments in them, in any order; null: the segments
   * of the service. An empty file is skipped as long as another holds records.
   */
  readonly files: readonly string[] | null;
  /**
   * Trusted Ed25519 keys: path of a PEM file (SubjectPublicKeyInfo) or base64 of 32 bytes. Empty:
   * the keys that the files name.
   */
  readonly publicKeys: readonly string[];
  /**
   * Paths of externally stored checkpoints that the files must reach: JSON that contains them, or
   * signed audit lines.
   */
  readonly checkpoints: readonly string[];
  /** Called with each valid record, in chain order. */
  readonly count: ((record: AuditRecord) => void) | null;
  /** Called for each verified block. */
  readonly onProgress: ((progress: AuditProgress) => void) | null;
}

/** Progress, bytes. */
export interface AuditProgress {
  readonly verified: number;
  readonly total: number;
}

/** The first thing that does not verify. */
export interface AuditFailure {
  /** Path of the file, control characters shown as `\u{…}`. */
  readonly file: string;
  /** Line, from 1; null for the file as a whole. */
  readonly line: number | null;
  /**
   * Predicate to file and line, no full stop: `was altered: …`. Of the file's content only numbers,
   * hashes, times and well-formed ids.
   */
  readonly message: string;
}

/** A remark about a file that does not fail the verification. */
export interface AuditNote {
  readonly file: string;
  /** Predicate to the file, no full stop: `is empty: …`. */
  readonly message: string;
}

/** Position of a record. */
export interface RecordPosition {
  readonly seq: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly time: string;
}

/** A file, as far as it was verified. */
export interface VerifiedFile {
  readonly file: string;
  readonly first: RecordPosition;
  readonly last: RecordPosition;
}

/** Records of one event, by outcome. */
export interface OutcomeCounts {
  readonly success: number;
  readonly refused: number;
  readonly failed: number;
}

/** Backward steps of time in a chain, of more than a second each. */
export interface ClockSetBacks {
  readonly count: number;
  readonly first: {
    readonly file: string;
    readonly line: number;
    /** The record with the earlier time. */
    readonly at: RecordPosition;
    /** The record before it, with the later time. */
    readonly before: RecordPosition;
    /** Size of the step. */
    readonly milliseconds: number;
  };
  readonly largestMilliseconds: number;
}

/** A chain of records, as far as it was verified. */
export interface VerifiedChain {
  readonly files: readonly VerifiedFile[];
  /** Writers by their first record; limited to the first ones. */
  readonly instanceIds: readonly string[];
  /** Keys that the files name, in order, base64 of 32 bytes. */
  readonly publicKeys: readonly string[];
  readonly first: RecordPosition;
  readonly last: RecordPosition & { readonly hash: string };
  readonly records: number;
  /** Counts by event, without segments. */
  readonly events: { readonly [event: string]: OutcomeCounts };
  /** Signed records, each of which covers all records before it. */
  readonly checkpoints: number;
  /** Last record that a signature covers; 0 without. */
  readonly covered: number;
  /**
   * Records after the last signed one: never acknowledged, and possibly written by another program.
   */
  readonly uncovered: number;
  /** Null without any. Not a fault: clocks are corrected. */
  readonly clockSetBacks: ClockSetBacks | null;
}

/** The newest of the external checkpoints in a file that a chain matches. */
export interface ReachedCheckpoint extends RecordPosition {
  readonly file: string;
  readonly instanceId: string;
  /** How many checkpoints of the file the chain matches. */
  readonly matching: number;
  /** How many precede the chain: older audit files were not given. */
  readonly earlier: number;
}

/** Reasons of a first file that hint at lost records. */
export const LOSS_REASONS = ['missing', 'removed', 'truncated', 'changed'] as const;

/** See {@link LOSS_REASONS}. */
export type LossReason = (typeof LOSS_REASONS)[number];

/** A chain that starts after record 1 for more reasons than archiving: records may be lost. */
export interface LateChainStart {
  readonly file: string;
  readonly firstSeq: number;
  /** Why the service began that file; null where nothing hints at a loss. */
  readonly reason: LossReason | null;
  /** End of another chain that this one may continue; null without. */
  readonly before: { readonly file: string; readonly lastSeq: number } | null;
}

/**
 * Why a file was not read: compressed by another program than gzip; not readable by this user; an
 * audit file that was not given; deleted meanwhile.
 */
export type LeftOutReason = 'compressed' | 'unreadable' | 'not-given' | 'removed';

/** An unread file next to the verified ones, whose records may be missing from the result. */
export interface LeftOutFile {
  /** As in {@link AuditFailure}. */
  readonly file: string;
  readonly reason: LeftOutReason;
}

/** Result of a verification. */
export interface AuditVerdict {
  /** Null when everything verifies. */
  readonly issue: AuditFailure | null;
  /** Skipped files and times that run backwards. */
  readonly notes: readonly AuditNote[];
  /** What verifies; with an issue, what precedes it. */
  readonly chains: readonly VerifiedChain[];
  readonly reached: readonly ReachedCheckpoint[];
  /** Empty with an issue. */
  readonly lateChainStarts: readonly LateChainStart[];
  readonly leftOut: readonly LeftOutFile[];
  /** Read from the files, uncompressed. */
  readonly bytes: number;
}
