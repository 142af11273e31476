import type { CountedRecord } from './usage-ledger.ts';

/** What is to be verified, and with what. */
export interface AuditVerification {
  /** Paths of audit files, in any order; null: the service's own file and those that were rotated out of it. An empty file is passed over as long as another holds records. */
  readonly files: readonly string[] | null;
  /** Ed25519 keys that may sign checkpoints: each a path of a PEM file (SubjectPublicKeyInfo) or the base64 of the 32 bytes. None: whichever the files name. */
  readonly publicKeys: readonly string[];
  /** Paths of files with checkpoints that were kept elsewhere, which the files have to reach: a note, or JSON that contains notes. */
  readonly checkpoints: readonly string[];
  /** Gets each record that was found in order, in the order of its chain; null: nobody counts. */
  readonly count: ((record: CountedRecord) => void) | null;
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
  /** By the name of the event, as often as each was recorded; checkpoints and segments are not among them. */
  readonly events: { readonly [event: string]: OutcomeCounts };
  /** Checkpoints in the files. */
  readonly checkpoints: number;
  /** Number of the last record that a checkpoint covers, be it from elsewhere; 0 when none does. */
  readonly covered: number;
  /**
   * How many records at the end no checkpoint covers: the service acknowledged none of them, and
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

/** A file, key or checkpoint that a verification needs can not be had; the message names it and says what to do. Nothing was told of the records. */
export class AuditInputError extends Error {
  override readonly name = 'AuditInputError';
}

/**
 * Tells whether audit files are as the service wrote them.
 *
 * An adapter MUST find every alteration of a line, every line that was added, taken out, moved or
 * repeated, every file that is missing between two others (unless it is there compressed and its
 * name says so: then it is left out and named; and where neither instance nor key tell that both
 * are of one chain, the later one is an open start), every checkpoint that is
 * missing or was not signed by a key that may; and the missing end of a chain when it is given a checkpoint that covers it. With keys that
 * were given, a chain MUST NOT pass of which no checkpoint covers a record. It MUST name the first such place. It MUST bound the memory it takes whatever the files hold, and
 * the files that it has open however many there are, give way to other work of the process
 * meanwhile, and change no file. A last group that is just being written is waited for. It rejects
 * with AuditInputError when it can not read what it was given.
 */
export interface AuditVerifier {
  verify(verification: AuditVerification): Promise<AuditVerdict>;
}
