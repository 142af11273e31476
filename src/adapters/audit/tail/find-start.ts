import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { FollowRequest } from '../../../domain/model/audit-entry.ts';
import { readRecord } from '../record/read-record.ts';
import { newestFirst, type Start } from '../segments/chain-reader.ts';
import type { LineBlock } from '../segments/lines.ts';
import type { Segment } from '../segments/segment-names.ts';
import { CompressionError, type SegmentReader, withSegment } from '../segments/segment-reader.ts';

type IsWanted = (line: string | null) => boolean;

/** Bounds the search for lines that match a filter. Bytes. */
const MAX_SEARCH_BYTES = 64 * 1024 * 1024;
const LINE_TIME = /^\{"v":\d+,"seq":\d+,"time":"([^"]{24})"/;

/**
 * Searches from the newest segment to older ones; null without a segment.
 * @throws the system's error
 */
export function findStart({ file, from, isWanted }: FollowRequest): Promise<Start | null> {
  if ('since' in from) return search(file, (line) => getTime(line) >= from.since, { isSorted: true });
  if (isWanted === null) return search(file, () => true, { count: from.lines });
  return search(
    file,
    (line) => {
      const record = readRecord(line);
      return !('issue' in record) && isWanted(record);
    },
    { count: from.lines, maxBytes: MAX_SEARCH_BYTES },
  );
}

/** ISO 8601 UTC; empty without one. */
function getTime(line: string | null): string {
  return LINE_TIME.exec(line ?? '')?.[1] ?? '';
}

/**
 * The last wanted lines; the end if there are none.
 * @param bounds sorted: lines before an unwanted one are not wanted either
 */
async function search(
  file: string,
  isWanted: IsWanted,
  bounds: { readonly count?: number; readonly maxBytes?: number; readonly isSorted?: boolean },
): Promise<Start | null> {
  let start: Start | null = null;
  let { count = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = bounds;
  for await (const segment of listFiles(file)) {
    const found = await withSegment(segment, (reader) => findIn(reader, count, maxBytes, isWanted));
    if (found === null) continue;
    const [first] = found.offsets;
    if (start === null || first !== undefined) start = { segment, offset: first ?? found.end };
    count -= found.offsets.length;
    maxBytes -= found.end;
    if (count <= 0 || maxBytes <= 0 || (bounds.isSorted && first !== 0)) return start;
  }
  return start;
}

/** Segments, newest first; without any, the file itself: a segment or a copy by its own name. */
async function* listFiles(file: string): AsyncGenerator<Segment> {
  let isAlone = existsSync(file);
  for await (const segment of newestFirst(file)) {
    isAlone = false;
    yield segment;
  }
  if (isAlone) yield { path: file, auditFile: basename(file), firstSeq: 0, attempt: 1, form: 'plain' };
}

/** Offsets of the last wanted lines, in order. */
async function findIn(reader: SegmentReader, count: number, maxBytes: number, isWanted: IsWanted) {
  const { isCompressed } = reader;
  const blocks = isCompressed ? reader.lines() : reader.linesBackwards(await reader.size());
  let offsets: readonly number[] = [];
  let end = 0;
  for await (const block of untilDamage(blocks)) {
    end = Math.max(end, block.end);
    const found = block.lines.filter(({ text }) => isWanted(text)).map(({ offset }) => offset);
    offsets = isCompressed ? [...offsets, ...found] : [...found, ...offsets];
    if (!isCompressed && (offsets.length >= count || end - (block.lines[0]?.offset ?? 0) >= maxBytes)) break;
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
