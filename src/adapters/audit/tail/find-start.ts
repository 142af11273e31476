import type { FollowRequest } from '../../../domain/model/audit-entry.ts';
import { readRecord } from '../record/read-record.ts';
import { type LineBlock, lineOffsets } from '../segments/lines.ts';
import type { Segment } from '../segments/segment-names.ts';
import { CompressionError, type SegmentReader, withSegment } from '../segments/segment-reader.ts';

/** Where reading begins. */
export interface Start {
  readonly segment: Segment;
  /** Start of a line, bytes of the uncompressed content. */
  readonly offset: number;
}

type IsWanted = (line: string | null) => boolean;

/** Bounds the search for lines that match a filter. Bytes. */
const MAX_SEARCH_BYTES = 64 * 1024 * 1024;
const LINE_TIME = /^\{"v":\d+,"seq":\d+,"time":"([^"]{24})"/;

/**
 * Searches from the newest segment to older ones.
 * @param newestFirst at least one segment
 * @throws the error of open(2)
 */
export function findStart(newestFirst: readonly Segment[], { from, isWanted }: FollowRequest): Promise<Start | null> {
  if ('since' in from) return findTime(newestFirst, from.since);
  if (isWanted === null) return findLastLines(newestFirst, from.lines, Number.POSITIVE_INFINITY, () => true);
  return findLastLines(newestFirst, from.lines, MAX_SEARCH_BYTES, (line) => {
    const record = readRecord(line);
    return !('issue' in record) && isWanted(record);
  });
}

/** The first line at or after a time (ISO 8601 UTC). */
async function findTime(newestFirst: readonly Segment[], time: string): Promise<Start | null> {
  let start: Start | null = null;
  for (const segment of newestFirst) {
    const offset = await withSegment(segment, (reader) => findTimeIn(reader, time));
    if (offset !== null) start = { segment, offset };
    // Its first line is earlier.
    if (offset !== null && offset > 0) return start;
  }
  return start;
}

/** The end without such a line. */
async function findTimeIn(reader: SegmentReader, time: string): Promise<number> {
  let end = 0;
  for await (const block of untilDamage(reader.lines())) {
    const index = block.lines.findIndex((line) => (LINE_TIME.exec(line ?? '')?.[1] ?? '') >= time);
    if (index !== -1) return lineOffsets(block)[index] ?? block.start;
    end = block.end;
  }
  return end;
}

/** The last `count` wanted lines; the end if there are none. */
async function findLastLines(
  newestFirst: readonly Segment[],
  count: number,
  maxBytes: number,
  isWanted: IsWanted,
): Promise<Start | null> {
  let start: Start | null = null;
  let missing = count;
  let bytes = maxBytes;
  for (const segment of newestFirst) {
    const found = await withSegment(segment, (reader) => findLastLinesIn(reader, missing, bytes, isWanted));
    if (found === null) continue;
    const [first] = found.offsets;
    if (start === null || first !== undefined) start = { segment, offset: first ?? found.end };
    missing -= found.offsets.length;
    bytes -= found.end;
    if (missing <= 0 || bytes <= 0) return start;
  }
  return start;
}

/** Offsets of the last wanted lines, in order. */
async function findLastLinesIn(reader: SegmentReader, count: number, maxBytes: number, isWanted: IsWanted) {
  const { isCompressed } = reader;
  const blocks = isCompressed ? reader.lines() : reader.linesBackwards(await reader.size());
  let offsets: readonly number[] = [];
  let end = 0;
  for await (const block of untilDamage(blocks)) {
    end = Math.max(end, block.end);
    const own = lineOffsets(block);
    const found = block.lines.flatMap((line, index) => (isWanted(line) ? [own[index] ?? block.start] : []));
    offsets = isCompressed ? [...offsets, ...found] : [...found, ...offsets];
    if (!isCompressed && (offsets.length >= count || end - block.start >= maxBytes)) break;
  }
  return { offsets: offsets.slice(Math.max(0, offsets.length - count)), end };
}

/** Following reports the damage of a compressed segment. */
async function* untilDamage(blocks: AsyncIterable<LineBlock>): AsyncGenerator<LineBlock> {
  try {
    yield* blocks;
  } catch (error) {
    if (!(error instanceof CompressionError)) throw error;
  }
}
