import { UnsuitableFileError } from '../../files/open-regular-file.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { readRecord } from '../record/read-record.ts';
import type { Line } from './lines.ts';
import { listSegments, type Segment } from './segment-names.ts';
import { CompressionError, formatReadError, openSegment, type SegmentReader, withSegment } from './segment-reader.ts';

/** Where reading begins. */
export interface Start {
  readonly segment: Segment;
  /** Start of a line, bytes of the uncompressed content. */
  readonly offset: number;
}

/** Lines of a chain, or the issue of a file. */
export interface ChainBlock {
  readonly path: string;
  /** Of its segment. */
  readonly firstSeq: number;
  /** Of the first line; 1 where the segment was begun to be read. */
  readonly number: number;
  /** None with an issue. */
  readonly lines: readonly Line[];
  /** A predicate to the path, without full stop; null with lines. */
  readonly issue: string | null;
}

/**
 * Reads a chain from a place on, segment by segment. Passes over files that do not begin with the
 * segment record of their names, and reports once which ones cannot be read.
 * @param start null: the first segment, once it has a line
 * @param wait called at the end; reads on if it resolves to true. Null: reading ends there
 * @throws UnsuitableFileError for the first file; the system's error
 */
export async function* readChain(
  auditFile: string,
  start: Start | null,
  wait: (() => Promise<boolean>) | null = null,
): AsyncGenerator<ChainBlock> {
  const reported = new Set<string>();
  for (let at = start; ; ) {
    const reader = at === null ? null : await openSegment(at.segment);
    const firstSeq = at?.segment.firstSeq ?? 0;
    const position = { firstSeq, number: 1, offset: at?.offset ?? 0, size: -1 };
    let next: Segment | null = null;
    try {
      while (next === null) {
        if (reader !== null) yield* readOn(reader, position);
        next = yield* findNext(auditFile, firstSeq, reported);
        if (next === null && !(await wait?.())) return;
      }
      // It may have grown before the next one had a line.
      if (reader !== null) yield* readOn(reader, position);
    } finally {
      await reader?.close();
    }
    at = next && { segment: next, offset: 0 };
  }
}

/** How far a segment was read. */
interface Position {
  readonly firstSeq: number;
  /** Of the next line. */
  number: number;
  /** Bytes of the uncompressed content. */
  offset: number;
  /** Size of the file, bytes. */
  size: number;
}

/** Reads what was appended since, and advances the position. */
async function* readOn(reader: SegmentReader, position: Position): AsyncGenerator<ChainBlock> {
  const { path, isCompressed } = reader;
  const size = await reader.size();
  if (size === position.size) return;
  position.size = size;
  if (size < position.offset && !isCompressed) {
    const end = await reader.lineEnd(size);
    yield toIssue(path, position, `was shortened by ${position.offset - end} bytes: its last lines were removed`);
    position.offset = end;
  }
  try {
    for await (const { lines, end } of reader.lines(position.offset)) {
      yield { path, firstSeq: position.firstSeq, number: position.number, lines, issue: null };
      position.number += lines.length;
      position.offset = end;
    }
  } catch (error) {
    if (!(error instanceof CompressionError)) throw error;
    yield toIssue(path, position, error.message);
  }
}

function toIssue(path: string, { firstSeq, number }: Pick<Position, 'firstSeq' | 'number'>, issue: string): ChainBlock {
  return { path, firstSeq, number, lines: [], issue };
}

/** The first later segment: the last attempt at its number, or a recovered copy. */
async function* findNext(
  auditFile: string,
  after: number,
  reported: Set<string>,
): AsyncGenerator<ChainBlock, Segment | null> {
  let next: Segment | null = null;
  for (const segment of await listExisting(auditFile)) {
    const { path, firstSeq } = segment;
    if (firstSeq <= after) continue;
    if (next !== null && next.firstSeq < firstSeq) break;
    const { isOwn, issue } = await inspect(segment);
    if (isOwn) next = segment;
    if (issue === null || reported.has(path)) continue;
    reported.add(path);
    yield toIssue(path, { firstSeq, number: 1 }, issue);
  }
  return next;
}

/**
 * The segments of a chain, newest first: one for each number, each with a record.
 * @throws the system's error
 */
export async function* newestFirst(auditFile: string): AsyncGenerator<Segment> {
  let previous = 0;
  for (const segment of (await listExisting(auditFile)).toReversed()) {
    if (segment.firstSeq === previous || !(await inspect(segment)).isOwn) continue;
    previous = segment.firstSeq;
    yield segment;
  }
}

/** None in a folder that does not exist yet. */
function listExisting(auditFile: string): Promise<readonly Segment[]> {
  return listSegments(auditFile).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  });
}

/** Whether a file begins with the segment record of its name; why it cannot be read, or null. */
async function inspect(segment: Segment): Promise<{ readonly isOwn: boolean; readonly issue: string | null }> {
  try {
    const first = await withSegment(segment, (reader) => reader.firstLine());
    const record = readRecord(first?.text ?? null);
    const isOwn = !('issue' in record) && record.event === 'segment' && record.seq === segment.firstSeq;
    return { isOwn, issue: null };
  } catch (error) {
    if (error instanceof UnsuitableFileError) return { isOwn: false, issue: null };
    return { isOwn: false, issue: error instanceof CompressionError ? error.message : formatReadError(error) };
  }
}
