import type { AuditHead } from '../../../domain/model/audit-entry.ts';
import { FORMAT_VERSION } from '../../../domain/model/audit-entry.ts';
import { LOSS_REASONS } from '../../../domain/model/audit-verdict.ts';
import { UnsuitableFileError } from '../../files/open-regular-file.ts';
import { ChainVerifier, compareWith, formatRecords } from '../record/chain-verifier.ts';
import { isSignedLine, type ReadRecord, readRecord } from '../record/read-record.ts';
import { getSegmentPublicKey } from '../record/segment.ts';
import type { Line } from '../segments/lines.ts';
import { listSegments, type Segment } from '../segments/segment-names.ts';
import { readLastRecord, type SegmentReader, withSegment } from '../segments/segment-reader.ts';
import { compressedError, damagedError, notAuditFileError } from './audit-errors.ts';
import { assertOwnName } from './current-name.ts';
import { nodeFileSystem } from './file-system.ts';

/** Start of every record's line, up to its number. */
const LINE_START = Buffer.from(`{"v":${FORMAT_VERSION},"seq":`);
/** Unwritten blocks after a power cut read as zeros. */
const UNWRITTEN = 0x00;

/** Bytes that follow the last signed record. The service never acknowledged them. */
export interface UnsignedTail {
  readonly segment: Segment;
  /** Where they begin, bytes. */
  readonly offset: number;
  readonly bytes: number;
  /** Whole records in it; 0 for an incomplete line only. */
  readonly records: number;
  /** Number of the first of them. */
  readonly firstRecord: number;
}

/** The newest segment with a signed record. */
export interface LastSegment {
  readonly segment: Segment;
  /** Its first record. */
  readonly first: ReadRecord;
  /** The key that signs its records, 32 bytes. */
  readonly publicKey: Buffer;
  /** Its last signed record. */
  readonly head: AuditHead;
  /** End offset of that, bytes. */
  readonly size: number;
}

/** Where a chain ends. */
export interface ChainEnd {
  /** Of the audit file, in order. */
  readonly segments: readonly Segment[];
  /** Null when no segment has a signed record. */
  readonly last: LastSegment | null;
  /** In the last segment and in newer ones, which have no signed record; without empty ones. */
  readonly unsignedTails: readonly UnsignedTail[];
}

/**
 * Finds the end of a chain and checks it: the newest segment from its last signed record on, its
 * number of lines, and that it follows the segment before it. Changes nothing.
 * @param auditFile absolute path
 * @throws AuditUnavailableError that names the file and what to do; the system's error
 */
export async function findChainEnd(auditFile: string): Promise<ChainEnd> {
  const segments = await listSegments(auditFile);
  await assertOwnName(auditFile, nodeFileSystem);
  const unsignedTails: UnsignedTail[] = [];
  for (const [index, segment] of [...segments.entries()].toReversed()) {
    const end = await withSegment(segment, (reader) => readEnd(reader, segment)).catch((error: unknown) => {
      throw error instanceof UnsuitableFileError ? notAuditFileError(segment.path, 'it is not a regular file') : error;
    });
    if (end !== null && end.tail !== null) unsignedTails.unshift(end.tail);
    if (end === null || end.last === null) continue;
    await assertFollows(end.last, segments.slice(0, index));
    return { segments, last: end.last, unsignedTails };
  }
  return { segments, last: null, unsignedTails };
}

interface SegmentEnd {
  /** Null without a signed record. */
  readonly last: LastSegment | null;
  readonly tail: UnsignedTail | null;
}

/**
 * Verifies a segment from its last signed record on.
 * @throws AuditUnavailableError for something else than a segment of this name, a forged signature,
 * a broken chain, or lines that were added, repeated or removed
 */
async function readEnd(reader: SegmentReader, segment: Segment): Promise<SegmentEnd> {
  if (reader.isCompressed) throw compressedError(segment.path);
  const size = await reader.size();
  const first = await readFirst(reader);
  if (first !== null && first.record.seq !== segment.firstSeq)
    throw notAuditFileError(segment.path, `it begins with record ${first.record.seq}, not with that of its name`);
  const whole = await findIncompleteLine(reader, size);
  const { head, end, records } =
    first === null ? { head: null, end: 0, records: 0 } : await verifyFromSigned(reader, whole, first.publicKey);
  const firstRecord = (head?.seq ?? segment.firstSeq - 1) + 1;
  const tail = end === size ? null : { segment, offset: end, bytes: size - end, records, firstRecord };
  if (first === null || head === null) return { last: null, tail };
  await assertOneLineEach(reader, first.record.seq, head.seq, end);
  return { last: { segment, first: first.record, publicKey: first.publicKey, head, size: end }, tail };
}

/** The segment record at the start of a file; null without a complete line. */
async function readFirst(
  reader: SegmentReader,
): Promise<{ readonly record: ReadRecord; readonly publicKey: Buffer } | null> {
  const first = await reader.firstLine();
  if (first === null) return null;
  const record = readRecord(first.text);
  if ('issue' in record) throw notAuditFileError(reader.path, `its first line ${record.issue}`);
  const publicKey = record.event === 'segment' ? getSegmentPublicKey(record.data) : null;
  if (publicKey === null) throw notAuditFileError(reader.path, 'its first line is not a segment record');
  return { record, publicKey };
}

/**
 * Size without an incomplete last line, as a crash leaves it, bytes.
 * @throws AuditUnavailableError when that is not the start of a record: the file may be another's
 */
async function findIncompleteLine(reader: SegmentReader, size: number): Promise<number> {
  const end = await reader.lineEnd(size);
  const start = await reader.read(end, Math.min(LINE_START.length, size - end));
  if (readsLikeRecord(start)) return end;
  throw notAuditFileError(reader.path, 'its last line is incomplete and does not begin like an audit record');
}

/** Whether bytes may begin a record that was not written to its end. */
function readsLikeRecord(bytes: Buffer): boolean {
  const start = bytes.subarray(0, LINE_START.length);
  return start.length === 0 || start[0] === UNWRITTEN || LINE_START.subarray(0, start.length).equals(start);
}

/**
 * The last signed record, the offset after it, and the number of whole records after that.
 * @param size end of the last complete line, bytes
 */
async function verifyFromSigned(
  reader: SegmentReader,
  size: number,
  publicKey: Buffer,
): Promise<{ readonly head: AuditHead | null; readonly end: number; readonly records: number }> {
  const lines = await readFromSigned(reader, size);
  const verifier = new ChainVerifier(null, publicKey);
  let signed: { readonly head: AuditHead | null; readonly end: number } = { head: null, end: 0 };
  for (const [index, { text, offset }] of lines.entries()) {
    const record = readRecord(text);
    const issue = 'issue' in record ? record.issue : verifier.accept(record, offset === 0);
    if (issue !== null)
      throw damagedError(reader.path, `is damaged or was altered: the line at byte ${offset} ${issue}`);
    const { seq, hash } = verifier.last;
    if (verifier.unsigned === 0) signed = { head: { seq, hash }, end: lines[index + 1]?.offset ?? size };
  }
  return { ...signed, records: verifier.unsigned };
}

/** The lines from the last signed one on; all without one. */
async function readFromSigned(reader: SegmentReader, size: number): Promise<readonly Line[]> {
  const blocks: (readonly Line[])[] = [];
  for await (const { lines } of reader.linesBackwards(size)) {
    const index = lines.findLastIndex(({ text }) => text !== null && isSignedLine(text));
    blocks.unshift(lines.slice(Math.max(index, 0)));
    if (index !== -1) break;
  }
  return blocks.flat();
}

/**
 * A copy of a signed record at the end would vouch for all lines before it.
 * @param end of the last signed record, bytes
 */
async function assertOneLineEach(reader: SegmentReader, first: number, last: number, end: number): Promise<void> {
  const lines = await reader.countLines(end);
  if (lines === last - first + 1) return;
  const count = lines === 1 ? '1 line' : `${lines} lines`;
  const what = `has ${count} where ${formatRecords(first, last)} expected: another program altered, added, repeated or removed lines`;
  throw damagedError(reader.path, what);
}

/**
 * Checks that a segment follows the one before it, unless that is gone, compressed, or known to be
 * lost. `audit verify` finds what is missing or damaged in closed segments.
 * @param earlier segments, in order
 * @throws AuditUnavailableError when it does not
 */
async function assertFollows({ segment, first }: LastSegment, earlier: readonly Segment[]): Promise<void> {
  if (LOSS_REASONS.some((reason) => reason === first.data?.['reason'])) return;
  for (const previous of earlier.toReversed()) {
    if (previous.firstSeq >= first.seq) continue;
    if (previous.form === 'gzip') return;
    const last = await readLastRecord(previous);
    if (last === null) continue;
    if (compareWith(first, last) !== 'break') return;
    const what = `does not follow ${previous.path}, whose last record is ${last.seq}: one of them was altered or belongs to another chain`;
    throw damagedError(segment.path, what);
  }
}
