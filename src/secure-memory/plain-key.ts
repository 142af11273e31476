import { decodeHex } from './decode-hex.ts';
import { withoutFinalNewline } from './final-newline.ts';
import { MalformedSecretError } from './malformed-secret-error.ts';

/**
 * Reads a key that stands in its file as it is, raw or as hex digits of either case with an optional final newline, into `key`, whose length is the
 * key's. Hex digits alone are never raw bytes: they would be a key of half the length that someone wrote as text.
 *
 * @returns whether `content` is such a key; where it is not, `key` may hold a part of it
 */
export function decodePlainKey(content: Buffer, key: Buffer): boolean {
  if (content.length === key.length && !content.every(isHexDigit)) {
    content.copy(key);
    return true;
  }
  if (withoutFinalNewline(content).length !== 2 * key.length) return false;
  try {
    return decodeHex(content, key) === key.length;
  } catch (error) {
    if (error instanceof MalformedSecretError) return false;
    throw error;
  }
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
