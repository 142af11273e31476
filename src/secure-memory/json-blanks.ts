/** Blank, tab, line feed and carriage return: all that JSON counts as white space (RFC 8259 §2). */
const BLANKS: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];

/** Position of the first byte of `text` at or behind `start` that is no JSON white space; the length of `text` when there is none. */
export function endOfBlanks(text: Buffer, start: number): number {
  let end = start;
  while (end < text.length && BLANKS.includes(text.readUInt8(end))) end += 1;
  return end;
}
