import type { ReadRecord } from '../record/read-record.ts';

/** The issue of an incomplete line. */
export const INCOMPLETE = 'is incomplete: the file was cut, or the service was killed while writing it';

/** Consecutive lines. */
export interface VerifiableBlock {
  /** Without newlines; null for one that cannot be a record. */
  readonly lines: readonly (string | null)[];
  /** Length of the lines with newlines. */
  readonly bytes: number;
  /** Bytes of the file that were read for it. */
  readonly read: number;
}

/** The first line, or its issue; null when the file is empty. */
export type FirstText = { readonly line: string | null } | { readonly issue: string } | null;

/** An open audit file. */
export interface VerifiableFile {
  /** Printable path. */
  readonly name: string;
  /** Device and inode. */
  readonly identity: string;
  readonly isCompressed: boolean;
  /** Bytes to read. */
  readonly size: number;
  firstLine(): Promise<FirstText>;
  /**
   * Limits reading to an earlier size, bytes: later records may follow unknown files.
   * @throws OperatorError when the file became shorter
   */
  limitTo(size: number): Promise<void>;
  /** Whether it begins with this segment record. */
  beginsWith(record: ReadRecord): Promise<boolean>;
  /**
   * All lines; waits for a group in progress.
   * @param isComplete whether what was read ends with a whole group
   * @returns the issue of the rest, or null; {@link INCOMPLETE} is about the next line
   */
  blocks(isComplete: () => boolean): AsyncGenerator<VerifiableBlock, string | null>;
  close(): Promise<void>;
}
