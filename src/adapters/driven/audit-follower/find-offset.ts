import type { FileHandle } from 'node:fs/promises';
import { readLines } from '../../../audit-trail/file-lines.ts';
import { type ReadRecord, readRecord } from '../../../audit-trail/read-record.ts';

/** How far back lines were found. */
export interface LinesBack {
  /** Offset of the first of them, bytes; a line begins there. */
  readonly offset: number;
  /** How many of them were found. */
  readonly found: number;
}

const BLOCK_BYTES = 1024 * 1024;
const SEARCH_BYTES = 65_536;
const NEWLINE = 0x0a;
const LINE_TIME = /^\{"v":\d+,"seq":\d+,"time":"([^"]{24})"/;

/**
 * Looks backwards from `stop` for the last `count` lines that are wanted, and holds one block at a time.
 * @param stop offset where a line begins, or the end of the file, bytes
 * @param most bytes after which it looks no further, to the next block
 * @param isWanted gets null for a line that can't be a record
 */
export async function findLinesBack(
  file: FileHandle,
  stop: number,
  most: number,
  count: number,
  isWanted: (line: string | null) => boolean,
): Promise<LinesBack> {
  let found = 0;
  let end = await lineEndBefore(file, stop);
  if (count === 0) return { offset: end, found };
  while (end > 0 && stop - end < most) {
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

/** The last record that ends at `stop` or before; null when the line there is none. */
export async function readRecordBefore(file: FileHandle, stop: number): Promise<ReadRecord | null> {
  const { offset } = await findLinesBack(file, stop, BLOCK_BYTES, 1, () => true);
  for await (const { lines } of readLines(file, offset, stop)) {
    const record = readRecord(lines[0] ?? '');
    return 'fault' in record ? null : record;
  }
  return null;
}

/** Offset of the first line of `time` (ISO 8601 UTC with milliseconds) or later, bytes; the end of the last line when there is none. */
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

/** Offset of one line of a block that begins at `start`, bytes; null when a line before it can't be read, so that its length is not known. */
export function lineOffset(lines: readonly (string | null)[], start: number, index: number): number | null {
  let offset = start;
  for (const line of lines.slice(0, index)) {
    if (line === null) return null;
    offset += Buffer.byteLength(line) + 1;
  }
  return offset;
}

interface PlacedLine {
  readonly text: string | null;
  /** Bytes; of a line behind one that can't be read, that one's. */
  readonly offset: number;
}

async function readAll(file: FileHandle, start: number, end: number): Promise<readonly PlacedLine[]> {
  const placed: PlacedLine[] = [];
  let blockStart = start;
  for await (const block of readLines(file, start, end)) {
    let offset = blockStart;
    let isKnown = true;
    for (const text of block.lines) {
      placed.push({ text, offset });
      isKnown &&= text !== null;
      if (isKnown && text !== null) offset += Buffer.byteLength(text) + 1;
    }
    blockStart = block.end;
  }
  return placed;
}

/** Offset behind the last newline before `stop`, bytes; 0 when there is none. */
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
