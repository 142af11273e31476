import { isAscii, isUtf8 } from 'node:buffer';
import { MAX_LINE_BYTES } from './audit-record.ts';

/** A file that is open for reading, such as a FileHandle of Node. */
export interface ReadableFile {
  read(buffer: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
}

/** Complete lines of a file, in their order. */
export interface LineBlock {
  /** Their text, without the newlines; null for a line that can't be an audit record: too long, or no UTF-8. */
  readonly lines: readonly (string | null)[];
  /** Offset in the file behind the newline of the last one, bytes. */
  readonly end: number;
}

const CHUNK_BYTES = 1024 * 1024;
/** How much becomes text at once: longer strings leave V8's nursery, which costs more than all the rest of reading. */
const PIECE_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
const NEWLINE_TEXT = '\n';

/**
 * Reads the complete lines between two offsets (bytes), a mebibyte at a time: memory stays bounded, whatever the file is. Bytes behind the last newline are left out;
 * `end` of the last block says where they begin.
 */
export async function* readLines(file: ReadableFile, start: number, stop: number): AsyncGenerator<LineBlock> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES + MAX_LINE_BYTES);
  /** Bytes at the beginning of the buffer that belong to a line whose end was not read yet. */
  let held = 0;
  /** The line that is being read is too long: the rest of it is passed over. */
  let skipping = false;
  for (let position = start; position < stop; ) {
    const { bytesRead } = await file.read(buffer, held, Math.min(CHUNK_BYTES, stop - position), position);
    if (bytesRead === 0) return;
    position += bytesRead;
    const filled = buffer.subarray(0, held + bytesRead);
    const end = filled.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const lines = linesOf(filled.subarray(0, end));
      yield { lines: skipping ? [null, ...lines.slice(1)] : lines, end: position - (filled.length - end) };
      skipping = false;
    }
    held = filled.length - end;
    if (held > MAX_LINE_BYTES) {
      skipping = true;
      held = 0;
    }
    buffer.copyWithin(0, end, end + held);
  }
}

/** The last lines of the first `size` bytes of a file, from a line on that `isFirst` wants, or from the beginning of the file. */
export interface Tail {
  /** Lines without their newlines, in their order; as in {@link LineBlock}. */
  readonly lines: readonly (string | null)[];
  /** Offset of the first of them, bytes. */
  readonly start: number;
  /** Offset behind the last newline, bytes. */
  readonly end: number;
}

/** Reads backwards, block by block, until a line comes that `isFirst` wants. */
export async function readTail(file: ReadableFile, size: number, isFirst: (line: string) => boolean): Promise<Tail> {
  let lines: (string | null)[] = [];
  let end = 0;
  let stop = size;
  while (stop > 0) {
    const { start, text } = await readBlockBefore(file, stop);
    const newline = text.lastIndexOf(NEWLINE) + 1;
    if (end === 0) end = start + newline;
    const block = linesOf(text.subarray(0, newline));
    const wanted = block.findLastIndex((line) => line !== null && isFirst(line));
    const offset = wanted <= 0 ? start : start + offsetOfLine(text, wanted);
    lines = [...block.slice(Math.max(wanted, 0)), ...lines];
    if (wanted >= 0) return { lines, start: offset, end };
    stop = start;
  }
  return { lines, start: 0, end };
}

/** A block that begins where a line begins and ends at `stop`. */
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
    if (bytesRead === 0) throw new Error('the file shrank while it was read');
    offset += bytesRead;
  }
}

function offsetOfLine(text: Buffer, index: number): number {
  let offset = 0;
  for (let line = 0; line < index; line += 1) offset = text.indexOf(NEWLINE, offset) + 1;
  return offset;
}

/** Of bytes that end with a newline, or none. */
function linesOf(bytes: Buffer): (string | null)[] {
  const lines: (string | null)[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.lastIndexOf(NEWLINE, start + PIECE_BYTES);
    const end = (newline < start ? bytes.indexOf(NEWLINE, start) : newline) + 1;
    for (const line of linesOfPiece(bytes.subarray(start, end))) lines.push(line);
    start = end;
  }
  return lines;
}

function linesOfPiece(bytes: Buffer): (string | null)[] {
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8';
  if (encoding === 'utf8' && !isUtf8(bytes)) return linesOneByOne(bytes);
  const lines: (string | null)[] = bytes.toString(encoding, 0, bytes.length - 1).split(NEWLINE_TEXT);
  // Told by UTF-16 units, of which a line never has more than it has bytes.
  return lines.map((line) => (line !== null && line.length >= MAX_LINE_BYTES ? null : line));
}

/** For what is no UTF-8, where a replacement character could stand for anything. */
function linesOneByOne(bytes: Buffer): (string | null)[] {
  const lines: (string | null)[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    const line = bytes.subarray(start, end);
    lines.push(isUtf8(line) && line.length < MAX_LINE_BYTES ? line.toString('utf8') : null);
    start = end + 1;
  }
  return lines;
}
