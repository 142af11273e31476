import type { AuditEntry } from './audit-entry.ts';

/** What of a verified record the usage counters are made of. */
export interface VerifiedRecord extends Pick<AuditEntry, 'time' | 'platformId' | 'accountId'> {
  readonly event: string;
  readonly outcome: string;
  readonly algorithm: string | null;
}

/** What is to be verified, and with what. */
export interface AuditVerification {
  /** Paths of audit files, in any order; null: the service's own file and those that were rotated out of it. An empty file is passed over as long as another holds records. */
  readonly files: readonly string[] | null;
  /**
   * Ed25519 keys that may sign: each a path of a PEM file (SubjectPublicKeyInfo) or the base64 of
   * the 32 bytes. None: whichever the files name.
   */
  readonly publicKeys: readonly string[];
  /**
   * Paths of files with checkpoints that were kept elsewhere, which the files have to reach: JSON
   * that contains them, or signed lines of an audit file.
   */
  readonly checkpoints: readonly string[];
  /** Gets each record that was found in order, in the order of its chain; null: nobody counts. */
  readonly count: ((record: VerifiedRecord) => void) | null;
  /** Called for each block that was verified; null: nobody looks. */
  readonly onProgress: ((progress: AuditProgress) => void) | null;
}

/** How far the verification is, bytes. */
export interface AuditProgress {
  readonly verified: number;
  readonly total: number;
}

/** The first thing that is not in order. */
export interface AuditFault {
  /** Path of the file, in which control characters are shown as `\u{…}`. */
  readonly file: string;
  /** Line on which it shows, from 1; null when it is the file as a whole. */
  readonly line: number | null;
  /** A predicate to file and line, without a full stop: `was altered: …`. Holds nothing of the file's content but numbers, hashes, times and ids that fit their patterns. */
  readonly message: string;
}

/** Something about a file that is no fault, but that who reads the verdict has to know. */
export interface AuditNote {
  /** Path of the file, as in {@link AuditFault}. */
  readonly file: string;
  /** A predicate to the file, without a full stop: `is empty: …`. */
  readonly message: string;
}

/** A record by its place. */
export interface AuditPlace {
  readonly seq: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly time: string;
}

/** A file, as far as it was verified. */
export interface VerifiedFile {
  readonly file: string;
  readonly first: AuditPlace;
  readonly last: AuditPlace;
}

/** How often an event was recorded, by its outcome. */
export interface OutcomeCounts {
  readonly success: number;
  readonly refused: number;
  readonly failed: number;
}

/** A chain of records, as far as it was verified. */
export interface VerifiedChain {
  /** In the order of their records. */
  readonly files: readonly VerifiedFile[];
  /** Who wrote records, in the order in which they began to; of very many, the first ones. */
  readonly instanceIds: readonly string[];
  /** Keys that the files name, base64 of 32 bytes each, in their order. */
  readonly publicKeys: readonly string[];
  readonly first: AuditPlace;
  readonly last: AuditPlace & { readonly hash: string };
  readonly records: number;
  /** By the name of the event, as often as each was recorded; segments are not among them. */
  readonly events: { readonly [event: string]: OutcomeCounts };
  /** Signed records, each of which covers every record before it. */
  readonly checkpoints: number;
  /**
   * Number of the last signed record, or of one that a checkpoint from elsewhere covers; 0 without.
   */
  readonly covered: number;
  /**
   * How many records stand behind the last signed one: the service acknowledged none of them, and
   * another program could have written them.
   */
  readonly uncovered: number;
}

/** A checkpoint from elsewhere that the files agree with. */
export interface ReachedCheckpoint extends AuditPlace {
  /** Path of the file that holds it. */
  readonly file: string;
  readonly instanceId: string;
}

/** Reasons of a first file that tell of records which may be lost. */
export type LossReason = 'missing' | 'removed' | 'truncated' | 'changed';

/**
 * A chain that begins with a later record than 1, where more than the deletion or archiving of
 * older files may be the cause: records before it may be lost.
 */
export interface OpenStart {
  /** Path of its first file, as in {@link AuditFault}. */
  readonly file: string;
  /** Number of its first record. */
  readonly firstSeq: number;
  /** Why the service began that file; null where that tells of no loss. */
  readonly reason: LossReason | null;
  /**
   * The end of another chain that was read, which this one could be the continuation of; null when
   * there is none.
   */
  readonly before: { readonly file: string; readonly lastSeq: number } | null;
}

/** What came of a verification. */
export interface AuditVerdict {
  /** Null when everything is in order. */
  readonly fault: AuditFault | null;
  /** Of files that were passed over, and of times that run backwards. */
  readonly notes: readonly AuditNote[];
  /** What is in order; with a fault, what was before it. */
  readonly chains: readonly VerifiedChain[];
  readonly reached: readonly ReachedCheckpoint[];
  /** Empty with a fault. */
  readonly openStarts: readonly OpenStart[];
  /**
   * Paths, as in {@link AuditFault}, of compressed files beside the verified ones that were rotated
   * from the same audit file, and of those that the service set aside from it
   * (`<file>.set-aside-<time>`): they were not read.
   */
  readonly leftOut: readonly string[];
  /** Bytes that were verified. */
  readonly bytes: number;
}
