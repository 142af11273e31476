import { type ChainHead, MAX_LINE_BYTES, sha256Of } from '../../../audit-trail/audit-record.ts';
import { ChainVerifier } from '../../../audit-trail/chain-verifier.ts';
import { type ReadableFile, readTail } from '../../../audit-trail/file-lines.ts';
import { isSignedLine, readRecord } from '../../../audit-trail/read-record.ts';
import type { SegmentFile } from '../../../audit-trail/segment-files.ts';
import { brokenChainFault, continuedFault, lineCountFault, otherKeyFault } from './audit-file-fault.ts';
import { type FileReading, readFully } from './file-operations.ts';

const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

/** A record that is known to have been written, from what lies beside the audit file. */
export interface ReachedRecord extends ChainHead {
  /** Whether the service stopped in order with it, so that nothing followed. */
  readonly closed: boolean;
  /** Offset behind it in its file, bytes; left out where that is not known. */
  readonly size?: number | undefined;
}

/** Numbers of records that follow each other. */
export interface RecordRange {
  readonly first: number;
  readonly last: number;
}

/** The end of a file's chain. */
export interface TailEnd {
  /** The last signed record; null where the file has none. */
  readonly head: ChainHead | null;
  /** Offset behind it, bytes; 0 where the file has none. */
  readonly size: number;
  /** Whole records behind it, none of which was acknowledged; null where there are none. */
  readonly unsigned: RecordRange | null;
}

/**
 * Verifies the last records of a file, from its last signed one on, or all of them when none is
 * signed, and returns how far the chain reaches.
 * @throws AuditUnavailableError when the signature is forged, or a record does not follow the one
 * before it
 */
export async function verifyTail(
  segment: Pick<SegmentFile, 'path' | 'publicKey'>,
  fd: number,
  size: number,
  operations: FileReading,
): Promise<TailEnd> {
  const file: ReadableFile = {
    read: async (buffer, offset, length, position) => ({
      bytesRead: await operations.read(fd, buffer.subarray(offset, offset + length), position),
    }),
  };
  const { lines, start } = await readTail(file, size, isSignedLine);
  const verifier = new ChainVerifier({ head: null, trustedKeys: null, key: segment.publicKey });
  let offset = start;
  let signed: Pick<TailEnd, 'head' | 'size'> = { head: null, size: 0 };
  for (const line of lines) {
    const record = line === null ? { fault: 'is not an audit record' } : readRecord(line);
    const fault = 'fault' in record ? record.fault : verifier.accept(record, offset === 0);
    if (fault !== null) throw brokenChainFault(segment.path, offset, fault);
    offset += Buffer.byteLength(line ?? '') + 1;
    if (verifier.unsigned === 0) signed = { head: verifier.head, size: offset };
  }
  const last = verifier.head?.seq ?? 0;
  const unsigned = verifier.unsigned === 0 ? null : { first: last - verifier.unsigned + 1, last };
  return { ...signed, unsigned };
}

/**
 * A file has one line for each record up to its last signed one. A signed record that was copied to
 * the end is as valid there as it was, and would vouch for all lines before it.
 * @param segment whose chain has the record that was reached
 * @param end its end, with a last signed record
 * @param reached lines are counted from there on, where the record stands at its place; otherwise
 * from the beginning of the file
 * @throws AuditUnavailableError when lines were added, repeated or removed
 */
export async function assertOneLineEach(
  { path, first }: Pick<SegmentFile, 'path' | 'first'>,
  fd: number,
  { head, size }: TailEnd,
  reached: ReachedRecord | null,
  operations: FileReading,
): Promise<void> {
  if (head === null) return;
  const place = await placeOf(reached, fd, size, operations);
  const from = place !== null && place.seq >= first.seq ? place : { seq: first.seq - 1, offset: 0 };
  const lines = await countLines(fd, from.offset, size, operations);
  if (lines !== head.seq - from.seq) throw lineCountFault(path, from.seq + 1, head.seq, lines);
}

/**
 * Where the lines behind a record begin; null where its line does not end at the place that is
 * known.
 */
async function placeOf(
  reached: ReachedRecord | null,
  fd: number,
  end: number,
  operations: FileReading,
): Promise<{ readonly seq: number; readonly offset: number } | null> {
  if (reached === null || reached.size === undefined || reached.size > end) return null;
  const start = Math.max(0, reached.size - MAX_LINE_BYTES);
  const bytes = await readFully(fd, start, reached.size - start, operations);
  const line = bytes.subarray(bytes.lastIndexOf(NEWLINE, -2) + 1, -1);
  const isThere = bytes.at(-1) === NEWLINE && sha256Of(line) === reached.hash;
  return isThere ? { seq: reached.seq, offset: reached.size } : null;
}

async function countLines(fd: number, start: number, end: number, operations: FileReading): Promise<number> {
  let lines = 0;
  for (let position = start; position < end; position += CHUNK_BYTES) {
    const chunk = await readFully(fd, position, Math.min(CHUNK_BYTES, end - position), operations);
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) lines += 1;
  }
  return lines;
}

/**
 * Behind the record with which the service stopped in order there is nothing but what its own key
 * signed.
 * @param auditFile path of the audit file, which may be missing, and this one rotated from it
 * @param bytes length of what stands behind the last signed record, an unfinished line with it
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
  if (bytes > 0) throw continuedFault(path, auditFile, reached.seq, unsigned);
  if (head !== null && head.seq > reached.seq && !publicKey.equals(ownKey))
    throw otherKeyFault(path, auditFile, reached.seq);
}
