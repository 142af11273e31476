import { isAscii, isUtf8 } from 'node:buffer';
import { MAX_LINE_BYTES } from '../record/record-fields.ts';

/** Consecutive complete lines; none where a line that was too long ends. */
export interface LineBlock {
  /** Without newlines; null for one that is too long or not UTF-8. */
  readonly lines: readonly (string | null)[];
  /** Offset of the first line, bytes. */
  readonly start: number;
  /** Offset just after the last newline, bytes; within the line if that is too long. */
  readonly end: number;
}

/** Longer strings leave V8's young generation, which is slow. Bytes. */
const PIECE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
const NEWLINE_TEXT = '\n';

/**
 * Splits chunks into blocks of complete lines. Ignores bytes after the last newline, but a line
 * that is too long is null even without one.
 * @param start offset of the first chunk, bytes
 */
export async function* toLines(chunks: AsyncIterable<Buffer>, start: number): AsyncGenerator<LineBlock> {
  let rest: Buffer = Buffer.alloc(0);
  /** Offset of `rest`, bytes. */
  let offset = start;
  /** Skips the rest of a line that is too long. */
  let isSkipping = false;
  for await (const chunk of chunks) {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (isSkipping) {
      const newline = bytes.indexOf(NEWLINE);
      isSkipping = newline === -1;
      offset += isSkipping ? bytes.length : newline + 1;
      if (isSkipping) continue;
      yield { lines: [], start: offset, end: offset };
      bytes = bytes.subarray(newline + 1);
    }
    const length = bytes.lastIndexOf(NEWLINE) + 1;
    if (length > 0) yield { lines: splitLines(bytes.subarray(0, length)), start: offset, end: offset + length };
    rest = bytes.subarray(length);
    offset += length;
    if (rest.length > MAX_LINE_BYTES) {
      yield { lines: [null], start: offset, end: offset + rest.length };
      isSkipping = true;
      offset += rest.length;
      rest = Buffer.alloc(0);
    }
  }
}

/** Offsets of the lines of a block, bytes; null after an unreadable line. */
export function lineOffsets({ lines, start }: LineBlock): readonly (number | null)[] {
  let offset: number | null = start;
  return lines.map((line) => {
    const own = offset;
    offset = offset === null || line === null ? null : offset + Buffer.byteLength(line) + 1;
    return own;
  });
}

/** @param bytes end with a newline, or are empty */
export function splitLines(bytes: Buffer): (string | null)[] {
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
  return lines.map((line) => (line !== null && isTooLong(line) ? null : line));
}

/** A UTF-16 unit has one to three bytes of UTF-8: most lines need no exact count. */
function isTooLong(line: string): boolean {
  return line.length * 3 >= MAX_LINE_BYTES && Buffer.byteLength(line) >= MAX_LINE_BYTES;
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
