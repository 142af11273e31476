/** Marks non-digits in a {@link digitTable}; greater than any digit. */
export const NOT_A_DIGIT = 0xff;

/** Digit values by ASCII code, 256 entries. Several alphabets are alternative spellings. */
export function digitTable(...alphabets: readonly string[]): Buffer {
  const table = Buffer.alloc(256, NOT_A_DIGIT);
  for (const alphabet of alphabets) {
    for (let value = 0; value < alphabet.length; value += 1) table[alphabet.charCodeAt(value)] = value;
  }
  return table;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** A view of `text` without one final LF or CRLF. */
export function withoutFinalNewline(text: Buffer): Buffer {
  if (text.at(-1) !== LINE_FEED) return text;
  return text.subarray(0, text.at(-2) === CARRIAGE_RETURN ? -2 : -1);
}

/** JSON white space (RFC 8259 §2). */
const BLANKS: readonly number[] = [0x20, 0x09, 0x0a, 0x0d];

/** Position of the first byte at or after `start` that is not JSON white space. */
export function skipWhitespace(text: Buffer, start: number): number {
  let end = start;
  while (end < text.length && BLANKS.includes(text.readUInt8(end))) end += 1;
  return end;
}

/**
 * A secret's encoding is invalid. The message is a clause about "it", the file, and never quotes
 * the input.
 */
export class MalformedSecretError extends Error {
  override readonly name = 'MalformedSecretError';
}
