/** A line being typed. Its bytes are in a separate locked buffer. */
export interface PassphraseLine {
  /** Bytes in the buffer. */
  readonly length: number;
  /** Why the line will be rejected. Only Ctrl-U clears it. */
  readonly issue?: 'control character' | 'too long';
  /** How the line ended; absent until then. */
  readonly end?: 'entered' | 'cancelled';
}

export const EMPTY_LINE: PassphraseLine = { length: 0 };

const CTRL_C = 0x03;
const CTRL_D = 0x04;
const CTRL_U = 0x15;
const BACKSPACES: readonly number[] = [0x08, 0x7f];
/** Return, and the line feed of a pasted line. */
const ENTERS: readonly number[] = [0x0d, 0x0a];
const FIRST_PRINTABLE = 0x20;

/**
 * Processes the byte at `bytes[line.length]`; zeroes bytes that are not part of the line.
 *
 * Enter, Ctrl-C, and Ctrl-D on an empty line end it; Backspace removes a UTF-8 character; Ctrl-U
 * clears. Other control characters invalidate it, since escape sequences follow; it still continues
 * to Enter, to keep its rest from the shell.
 * @param bytes one byte longer than the longest line
 */
export function typeByte(line: PassphraseLine, bytes: Buffer): PassphraseLine {
  const byte = bytes.readUInt8(line.length);
  if (isPartOfText(byte) && line.issue === undefined && line.length + 1 < bytes.length) {
    return { length: line.length + 1 };
  }
  bytes[line.length] = 0;
  if (isPartOfText(byte)) return { ...line, issue: line.issue ?? 'too long' };
  if (ENTERS.includes(byte)) return { ...line, end: 'entered' };
  if (byte === CTRL_C || (byte === CTRL_D && isEmpty(line))) return { ...line, end: 'cancelled' };
  if (byte === CTRL_U) return truncateTo(0, line, bytes);
  if (BACKSPACES.includes(byte)) return line.issue === undefined ? withoutLastCharacter(line, bytes) : line;
  return { ...line, issue: line.issue ?? 'control character' };
}

function withoutLastCharacter(line: PassphraseLine, bytes: Buffer): PassphraseLine {
  let length = Math.max(line.length - 1, 0);
  while (length > 0 && isContinuation(bytes.readUInt8(length))) length -= 1;
  return truncateTo(length, line, bytes);
}

function truncateTo(length: number, line: PassphraseLine, bytes: Buffer): PassphraseLine {
  bytes.fill(0, length, line.length);
  return { length };
}

function isEmpty({ length, issue }: PassphraseLine): boolean {
  return length === 0 && issue === undefined;
}

function isPartOfText(byte: number): boolean {
  return byte >= FIRST_PRINTABLE && !BACKSPACES.includes(byte);
}

/** Continuation byte of UTF-8 (RFC 3629 §3). */
function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}
