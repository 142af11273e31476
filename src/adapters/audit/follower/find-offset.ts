import type { FileHandle } from 'node:fs/promises';
import { readLines } from '../record/file-lines.ts';
import { type ReadRecord, readRecord } from '../record/read-record.ts';

interface LinesFromEnd {
  /** Offset of the first matching line, bytes. */
  readonly offset: number;
  readonly found: number;
}

const BLOCK_BYTES = 1024 * 1024;
const SEARCH_BYTES = 65_536;
const NEWLINE = 0x0a;
const LINE_TIME = /^\{"v":\d+,"seq":\d+,"time":"([^"]{24})"/;

/**
 * Searches backwards for the last `count` matching lines, by block.
 * @param stop start of a line or end of the file, bytes
 * @param maxBytes bound of the search, rounded up to a block
 * @param isWanted gets null for a line that cannot be a record
 */
export async function findLinesFromEnd(
  file: FileHandle,
  stop: number,
  maxBytes: number,
  count: number,
  isWanted: (line: string | null) => boolean,
): Promise<LinesFromEnd> {
  let found = 0;
  let end = await lineEndBefore(file, stop);
  if (count === 0) return { offset: end, found };
  while (end > 0 && stop - end < maxBytes) {
    const start = await lineEndBefore(file, end - BLOCK_BYTES);
    const lines = await readAll(file, start, end);
    for (const { text, offset } of lines.toReversed()) {
      if (isWanted(text)) found += 1;
      if (found === count) return { offset, found };
    }
    end = start;
  }
  return { offset: end, found };
}

/** The last record that ends at or before `stop`, or null. */
export async function readRecordBefore(file: FileHandle, stop: number): Promise<ReadRecord | null> {
  const { offset } = await findLinesFromEnd(file, stop, BLOCK_BYTES, 1, () => true);
  for await (const { lines } of readLines(file, offset, stop)) {
    const record = readRecord(lines[0] ?? '');
    return 'issue' in record ? null : record;
  }
  return null;
}

/** Offset of the first line at or after `time` (ISO 8601 UTC), else of the end, bytes. */
export async function findTime(file: FileHandle, size: number, time: string): Promise<number> {
  let offset = 0;
  for await (const { lines, end } of readLines(file, 0, size)) {
    const isLater = (line: string | null) => line !== null && (LINE_TIME.exec(line)?.[1] ?? '') >= time;
    const index = lines.findIndex(isLater);
    if (index !== -1) return lineOffset(lines, offset, index) ?? offset;
    offset = end;
  }
  return offset;
}

/** Offset of a line of a block, bytes; null after an unreadable line. */
export function lineOffset(lines: readonly (string | null)[], start: number, index: number): number | null {
  let offset = start;
  for (const line of lines.slice(0, index)) {
    if (line === null) return null;
    offset += Buffer.byteLength(line) + 1;
  }
  return offset;
}

interface LineWithOffset {
  readonly text: string | null;
  /** Bytes; after an unreadable line, the offset of that line. */
  readonly offset: number;
}

async function readAll(file: FileHandle, start: number, end: number): Promise<readonly LineWithOffset[]> {
  const result: LineWithOffset[] = [];
  let blockStart = start;
  for await (const block of readLines(file, start, end)) {
    let offset = blockStart;
    let isKnown = true;
    for (const text of block.lines) {
      result.push({ text, offset });
      isKnown &&= text !== null;
      if (isKnown && text !== null) offset += Buffer.byteLength(text) + 1;
    }
    blockStart = block.end;
  }
  return result;
}

/** Offset just after the last newline before `stop`, bytes; 0 if none. */
async function lineEndBefore(file: FileHandle, stop: number): Promise<number> {
  const buffer = Buffer.allocUnsafe(SEARCH_BYTES);
  for (let end = stop; end > 0; ) {
    const start = Math.max(0, end - SEARCH_BYTES);
    const { bytesRead } = await file.read(buffer, 0, end - start, start);
    const newline = buffer.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    if (newline !== -1) return start + newline + 1;
    end = start;
  }
  return 0;
}
