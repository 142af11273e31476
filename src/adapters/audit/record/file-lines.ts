import { isAscii, isUtf8 } from 'node:buffer';
import { MAX_LINE_BYTES } from './record-fields.ts';

/** An open file, such as Node's FileHandle. */
export interface ReadableFile {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
}

/** Complete lines of a file, in order. */
export interface LineBlock {
  /** Without newlines; null for one that is too long or not UTF-8. */
  readonly lines: readonly (string | null)[];
  /** Offset just after the last newline, bytes. */
  readonly end: number;
}

const CHUNK_BYTES = 1024 * 1024;
/** Longer strings leave V8's young generation, which is slow. Bytes. */
const PIECE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
const NEWLINE_TEXT = '\n';

/**
 * Reads the complete lines between two offsets (bytes), 1 MiB at a time. Ignores bytes after the
 * last newline.
 */
export async function* readLines(file: ReadableFile, start: number, stop: number): AsyncGenerator<LineBlock> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES + MAX_LINE_BYTES);
  /** Bytes of an incomplete line, at the start of the buffer. */
  let buffered = 0;
  /** Skips the rest of a line that is too long. */
  let isSkipping = false;
  for (let position = start; position < stop; ) {
    const { bytesRead } = await file.read(buffer, buffered, Math.min(CHUNK_BYTES, stop - position), position);
    if (bytesRead === 0) return;
    position += bytesRead;
    const filled = buffer.subarray(0, buffered + bytesRead);
    const end = filled.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const lines = splitLines(filled.subarray(0, end));
      yield { lines: isSkipping ? [null, ...lines.slice(1)] : lines, end: position - (filled.length - end) };
      isSkipping = false;
    }
    buffered = filled.length - end;
    if (buffered > MAX_LINE_BYTES) {
      isSkipping = true;
      buffered = 0;
    }
    buffer.copyWithin(0, end, end + buffered);
  }
}

/** The last lines of a file, from a match of `isFirst` on. */
interface Tail {
  /** Lines without newlines, as in {@link LineBlock}. */
  readonly lines: readonly (string | null)[];
  /** Offset of the first of them, bytes. */
  readonly start: number;
  /** Offset just after the last newline, bytes. */
  readonly end: number;
}

/** Reads the first `size` bytes backwards to a line that matches `isFirst`. */
export async function readTail(file: ReadableFile, size: number, isFirst: (line: string) => boolean): Promise<Tail> {
  let lines: (string | null)[] = [];
  let end = 0;
  let stop = size;
  while (stop > 0) {
    const { start, text } = await readBlockBefore(file, stop);
    const newline = text.lastIndexOf(NEWLINE) + 1;
    if (end === 0) end = start + newline;
    const block = splitLines(text.subarray(0, newline));
    const match = block.findLastIndex((line) => line !== null && isFirst(line));
    const offset = match <= 0 ? start : start + offsetOfLine(text, match);
    lines = [...block.slice(Math.max(match, 0)), ...lines];
    if (match >= 0) return { lines, start: offset, end };
    stop = start;
  }
  return { lines, start: 0, end };
}

/** A block from the start of a line to `stop`. */
async function readBlockBefore(file: ReadableFile, stop: number): Promise<{ start: number; text: Buffer }> {
  for (let length = CHUNK_BYTES; ; length *= 2) {
    const from = Math.max(0, stop - length);
    const bytes = Buffer.allocUnsafe(stop - from);
    await readInto(file, bytes, from);
    if (from === 0) return { start: 0, text: bytes };
    const begin = bytes.indexOf(NEWLINE) + 1;
    if (begin > 0 && begin < bytes.length) return { start: from + begin, text: bytes.subarray(begin) };
  }
}

async function readInto(file: ReadableFile, bytes: Buffer, position: number): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, offset, bytes.length - offset, position + offset);
    if (bytesRead === 0) throw new Error('the file shrank while it was being read');
    offset += bytesRead;
  }
}

function offsetOfLine(text: Buffer, index: number): number {
  let offset = 0;
  for (let line = 0; line < index; line += 1) offset = text.indexOf(NEWLINE, offset) + 1;
  return offset;
}

/** @param bytes end with a newline, or are empty */
function splitLines(bytes: Buffer): (string | null)[] {
  const lines: (string | null)[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.lastIndexOf(NEWLINE, start + PIECE_BYTES);
    const end = (newline < start ? bytes.indexOf(NEWLINE, start) : newline) + 1;
    for (const line of decodeLines(bytes.subarray(start, end))) lines.push(line);
    start = end;
  }
  return lines;
}

function decodeLines(bytes: Buffer): (string | null)[] {
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8';
  if (encoding === 'utf8' && !isUtf8(bytes)) return decodeValidLines(bytes);
  const lines: (string | null)[] = bytes.toString(encoding, 0, bytes.length - 1).split(NEWLINE_TEXT);
  // A line has at most as many UTF-16 units as bytes.
  return lines.map((line) => (line !== null && line.length >= MAX_LINE_BYTES ? null : line));
}

/** Invalid UTF-8: decodes each valid line separately. */
function decodeValidLines(bytes: Buffer): (string | null)[] {
  const lines: (string | null)[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    const line = bytes.subarray(start, end);
    lines.push(isUtf8(line) && line.length < MAX_LINE_BYTES ? line.toString('utf8') : null);
    start = end + 1;
  }
  return lines;
}
