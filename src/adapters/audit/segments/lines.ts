import { isUtf8 } from 'node:buffer';
import { MAX_LINE_BYTES } from '../record/signed-record.ts';

/** A complete line. */
export interface Line {
  /** Without newline; null if it is too long or not UTF-8. */
  readonly text: string | null;
  /** Of its first byte in the uncompressed content, bytes. */
  readonly offset: number;
}

/** Consecutive lines, possibly none. */
export interface LineBlock {
  readonly lines: readonly Line[];
  /** Offset just after the last newline, bytes; within the line if that is too long. */
  readonly end: number;
}

const NEWLINE = 0x0a;

/**
 * Splits each chunk into a block of complete lines. Ignores bytes after the last newline, but a
 * line that is too long is null even without one.
 * @param start offset of the first chunk, bytes
 */
export async function* toLines(chunks: AsyncIterable<Buffer>, start: number): AsyncGenerator<LineBlock> {
  let rest: Buffer = Buffer.alloc(0);
  /** Of `rest`, bytes. */
  let offset = start;
  /** Whether `rest` continues a line that is too long, which was given already. */
  let isSkipping = false;
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const lines = splitLines(bytes, offset);
    if (isSkipping && lines.length > 0) {
      lines.shift();
      isSkipping = false;
    }
    const length = bytes.lastIndexOf(NEWLINE) + 1;
    rest = bytes.subarray(length);
    offset += length;
    if (rest.length > MAX_LINE_BYTES) {
      if (!isSkipping) lines.push({ text: null, offset });
      isSkipping = true;
      offset += rest.length;
      rest = Buffer.alloc(0);
    }
    yield { lines, end: offset };
  }
}

/**
 * Splits bytes into lines; ignores those after the last newline.
 * @param start offset of the first byte in the content, bytes
 */
export function splitLines(bytes: Buffer, start: number): Line[] {
  const lines: Line[] = [];
  let begin = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, begin)) {
    lines.push({ text: decode(bytes.subarray(begin, end)), offset: start + begin });
    begin = end + 1;
  }
  return lines;
}

function decode(line: Buffer): string | null {
  return line.length < MAX_LINE_BYTES && isUtf8(line) ? line.toString() : null;
}
