/** A line that is being typed. Its bytes are in a buffer elsewhere, so that none of them is in ordinary memory. */
export interface PassphraseLine {
  /** Bytes that were typed and not removed again: the first of the buffer. */
  readonly length: number;
  /** Why the line is refused once it is entered. Only Ctrl-U takes this back. */
  readonly fault?: 'control character' | 'too long';
  /** How the line ended; absent while it goes on. */
  readonly end?: 'entered' | 'cancelled';
}

/** A line of which nothing has been typed yet. */
export const EMPTY_LINE: PassphraseLine = { length: 0 };

const CTRL_C = 0x03;
const CTRL_D = 0x04;
const CTRL_U = 0x15;
const BACKSPACES: readonly number[] = [0x08, 0x7f];
/** Return, and the line feed that ends a pasted line. */
const ENTERS: readonly number[] = [0x0d, 0x0a];
const FIRST_PRINTABLE = 0x20;

/**
 * The line after one more byte, which stands in `bytes` behind what was typed before (at `line.length`). Bytes that don't belong to the line are zeroed.
 *
 * Enter ends it, and so does Ctrl-C or, on an empty line, Ctrl-D; Backspace removes a whole UTF-8 character; Ctrl-U clears. Any other control
 * character spoils the line, because what follows it is unknown: an arrow key is an escape and two letters. A line that is spoiled or too long still goes on to
 * its Enter, so that its rest is not left for the shell to show.
 *
 * @param bytes one byte longer than the longest line allowed
 */
export function typeByte(line: PassphraseLine, bytes: Buffer): PassphraseLine {
  const byte = bytes.readUInt8(line.length);
  if (isPartOfText(byte) && line.fault === undefined && line.length + 1 < bytes.length) {
    return { length: line.length + 1 };
  }
  bytes[line.length] = 0;
  if (isPartOfText(byte)) return { ...line, fault: line.fault ?? 'too long' };
  if (ENTERS.includes(byte)) return { ...line, end: 'entered' };
  if (byte === CTRL_C || (byte === CTRL_D && isEmpty(line))) return { ...line, end: 'cancelled' };
  if (byte === CTRL_U) return cutTo(0, line, bytes);
  if (BACKSPACES.includes(byte)) return line.fault === undefined ? withoutLastCharacter(line, bytes) : line;
  return { ...line, fault: line.fault ?? 'control character' };
}

function withoutLastCharacter(line: PassphraseLine, bytes: Buffer): PassphraseLine {
  let length = Math.max(line.length - 1, 0);
  while (length > 0 && isContinuation(bytes.readUInt8(length))) length -= 1;
  return cutTo(length, line, bytes);
}

function cutTo(length: number, line: PassphraseLine, bytes: Buffer): PassphraseLine {
  bytes.fill(0, length, line.length);
  return { length };
}

function isEmpty({ length, fault }: PassphraseLine): boolean {
  return length === 0 && fault === undefined;
}

function isPartOfText(byte: number): boolean {
  return byte >= FIRST_PRINTABLE && !BACKSPACES.includes(byte);
}

/** Second to fourth byte of a UTF-8 character (RFC 3629 §3). */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
