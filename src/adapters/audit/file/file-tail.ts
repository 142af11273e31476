import { constants } from 'node:fs';
import { dirname } from 'node:path';
import type { AuditHead } from '../../../domain/model/audit-entry.ts';
import { syncFolderWith } from '../../files/folders.ts';
import { sha256Of } from '../../node/sha256.ts';
import { ChainVerifier } from '../record/chain-verifier.ts';
import { readTail } from '../record/file-lines.ts';
import { isSignedLine, readRecord } from '../record/read-record.ts';
import { FORMAT_VERSION, MAX_LINE_BYTES } from '../record/record-fields.ts';
import type { SegmentFile } from '../record/segment-files.ts';
import {
  brokenChainError,
  continuedChainError,
  lineCountError,
  notAuditFileError,
  otherKeyError,
  tornFileError,
} from './audit-file-error.ts';
import {
  type DescriptorReader,
  type FileOperations,
  type OpenFile,
  readFully,
  toReadableFile,
  writeFully,
} from './file-operations.ts';

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;
/** Start of every record's line, up to its number. */
export const LINE_START = `{"v":${FORMAT_VERSION},"seq":`;
const LINE_START_BYTES = Buffer.from(LINE_START);
/** Unwritten blocks after a power cut read as zeros. */
const UNWRITTEN = 0x00;
/** Neither follows a link nor blocks on a pipe. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const FILE_MODE = 0o600;

/** A record known to be written, from a file beside the audit file. */
export interface ReachedRecord extends AuditHead {
  /** Whether the service shut down cleanly after it. */
  readonly closed: boolean;
  /** Its end offset, bytes; absent if unknown. */
  readonly size?: number | undefined;
}

/** Consecutive record numbers. */
export interface RecordRange {
  readonly first: number;
  readonly last: number;
}

/** Bytes after the last signed record, moved to `<file>.torn`. */
export interface UnsignedTail {
  /** Its length, bytes. */
  readonly bytes: number;
  /** Whole records in it; null for an incomplete line only. */
  readonly records: RecordRange | null;
}

/** The end of a file's chain. */
export interface TailEnd {
  /** The last signed record; null if none. */
  readonly head: AuditHead | null;
  /** Its end offset, bytes; 0 if there is none. */
  readonly size: number;
  /** Complete unacknowledged records after it; null if none. */
  readonly unsigned: RecordRange | null;
}

/**
 * Verifies a file from its last signed record on, or from the start.
 * @throws AuditUnavailableError for a forged signature or broken chain
 */
export async function verifyTail(
  segment: Pick<SegmentFile, 'path' | 'publicKey'>,
  fd: number,
  size: number,
  operations: DescriptorReader,
): Promise<TailEnd> {
  const { lines, start } = await readTail(toReadableFile(fd, operations), size, isSignedLine);
  const verifier = new ChainVerifier({ head: null, trustedKeys: null, key: segment.publicKey });
  let offset = start;
  let signed: Pick<TailEnd, 'head' | 'size'> = { head: null, size: 0 };
  for (const line of lines) {
    const record = readRecord(line);
    const issue = 'issue' in record ? record.issue : verifier.accept(record, offset === 0);
    if (issue !== null) throw brokenChainError(segment.path, offset, issue);
    offset += Buffer.byteLength(line ?? '') + 1;
    if (verifier.unsigned === 0) signed = { head: verifier.head, size: offset };
  }
  const last = verifier.head?.seq ?? 0;
  const unsigned = verifier.unsigned === 0 ? null : { first: last - verifier.unsigned + 1, last };
  return { ...signed, unsigned };
}

/**
 * Checks for one line per record up to the last signed one: a copy of a signed record at the end
 * would vouch for all lines before it.
 * @param segment whose chain has the reached record
 * @param end its end, with a signed record
 * @param reached lines are counted from its offset, if there
 * @throws AuditUnavailableError when lines were added, repeated or removed
 */
export async function assertOneLineEach(
  { path, first }: Pick<SegmentFile, 'path' | 'first'>,
  fd: number,
  { head, size }: TailEnd,
  reached: ReachedRecord | null,
  operations: DescriptorReader,
): Promise<void> {
  if (head === null) return;
  const known = await findPosition(reached, fd, size, operations);
  const from = known !== null && known.seq >= first.seq ? known : { seq: first.seq - 1, offset: 0 };
  const lines = await countLines(fd, from.offset, size, operations);
  if (lines !== head.seq - from.seq) throw lineCountError(path, from.seq + 1, head.seq, lines);
}

/** End offset of a record; null if it is not at its known offset. */
async function findPosition(
  reached: ReachedRecord | null,
  fd: number,
  end: number,
  operations: DescriptorReader,
): Promise<{ readonly seq: number; readonly offset: number } | null> {
  if (reached === null || reached.size === undefined || reached.size > end) return null;
  const start = Math.max(0, reached.size - MAX_LINE_BYTES);
  const bytes = await readFully(fd, start, reached.size - start, operations);
  const line = bytes.subarray(bytes.lastIndexOf(NEWLINE, -2) + 1, -1);
  const isThere = bytes.at(-1) === NEWLINE && sha256Of(line) === reached.hash;
  return isThere ? { seq: reached.seq, offset: reached.size } : null;
}

async function countLines(fd: number, start: number, end: number, operations: DescriptorReader): Promise<number> {
  let lines = 0;
  for (let position = start; position < end; position += CHUNK_BYTES) {
    const chunk = await readFully(fd, position, Math.min(CHUNK_BYTES, end - position), operations);
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  }
  return lines;
}

/**
 * After a graceful shutdown, only the service's own key may have signed more.
 * @param auditFile path of the audit file; this one may be rotated from it
 * @param bytes length of what follows the last signed record
 * @param ownKey the service's audit public key, 32 bytes
 * @throws AuditUnavailableError when another program added records
 */
export function assertNotContinued(
  auditFile: string,
  { path, publicKey }: Pick<SegmentFile, 'path' | 'publicKey'>,
  { head, unsigned }: TailEnd,
  bytes: number,
  reached: ReachedRecord | null,
  ownKey: Uint8Array,
): void {
  if (reached === null || !reached.closed) return;
  if (bytes > 0) throw continuedChainError(path, auditFile, reached.seq, unsigned);
  if (head !== null && head.seq > reached.seq && !publicKey.equals(ownKey))
    throw otherKeyError(path, auditFile, reached.seq);
}

/**
 * Length of an incomplete last line, as a crash leaves it, bytes; 0 for none.
 * @throws AuditUnavailableError when it is not the start of a record: the file may be another's
 */
export async function findTruncatedTail(file: OpenFile, operations: DescriptorReader): Promise<number> {
  const start = await findLastLineStart(file, operations);
  if (start === file.size) return 0;
  const length = Math.min(LINE_START_BYTES.length, file.size - start);
  if (!startsLikeRecord(await readFully(file.fd, start, length, operations))) {
    throw notAuditFileError(file.path, 'its last line is incomplete and does not begin like an audit record');
  }
  return file.size - start;
}

/**
 * Moves the last `length` bytes to `tornPath`, durably. Always syncs: a killed process may have
 * left bytes in the page cache, which later O_DSYNC writes do not sync.
 */
export async function moveTruncatedTail(
  file: OpenFile,
  length: number,
  tornPath: string,
  operations: FileOperations,
): Promise<void> {
  if (length > 0) {
    const start = file.size - length;
    await copyTail(file, start, tornPath, operations);
    await syncFolderWith(dirname(tornPath), operations);
    await operations.ftruncate(file.fd, start);
  }
  await operations.fdatasync(file.fd);
}

function startsLikeRecord(beginning: Buffer): boolean {
  return beginning[0] === UNWRITTEN || LINE_START_BYTES.subarray(0, beginning.length).equals(beginning);
}

/** Offset just after the last newline; 0 if there is none. */
async function findLastLineStart({ fd, size }: OpenFile, operations: DescriptorReader): Promise<number> {
  for (let end = size; end > 0; ) {
    const position = Math.max(0, end - CHUNK_BYTES);
    const newline = (await readFully(fd, position, end - position, operations)).lastIndexOf(NEWLINE);
    if (newline >= 0) return position + newline + 1;
    end = position;
  }
  return 0;
}

async function copyTail(file: OpenFile, start: number, tornPath: string, operations: FileOperations): Promise<void> {
  const torn = await operations.open(tornPath, FLAGS, FILE_MODE).catch((cause: unknown) => {
    throw tornFileError(tornPath, cause);
  });
  try {
    for (let position = start; position < file.size; ) {
      const length = Math.min(CHUNK_BYTES, file.size - position);
      await writeFully(torn, await readFully(file.fd, position, length, operations), operations);
      position += length;
    }
    await operations.fsync(torn);
  } finally {
    await operations.close(torn);
  }
}
