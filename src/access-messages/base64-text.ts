import { Buffer } from 'node:buffer';

/** The text of bytes: base64 with padding (RFC 4648 §4). */
export function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

/** The bytes of a base64 text; null for one that `toBase64` does not write: without its padding, in the alphabet for URLs, with other characters in between, or with bits that stand for nothing. */
export function fromBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}
