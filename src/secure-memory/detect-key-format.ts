import { hasEd25519Prefix } from './ed25519-prefix.ts';
import { withoutFinalNewline } from './final-newline.ts';
import { endOfBlanks } from './json-blanks.ts';

/** Ways in which a key file may write a private key; `solana` is the JSON array of numbers that solana-keygen writes. */
export const KEY_FORMATS = ['raw', 'hex', 'base58', 'base64', 'pem', 'keystore', 'solana'] as const;

/**
 * Ways in which a file may write a secret that is a text: `utf8` its characters, `base64-text` the base64 form of them. No content tells them, so
 * that they are always named.
 */
export const TEXT_FORMATS = ['utf8', 'base64-text'] as const;

/** See {@link KEY_FORMATS} and {@link TEXT_FORMATS}. */
export type KeyFormat = (typeof KEY_FORMATS)[number] | (typeof TEXT_FORMATS)[number];

const PEM_START = Buffer.from('-----BEGIN ');
const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
const HEX_PREFIX = Buffer.from('0x');

/**
 * Tells how a file writes a key of one of `lengths` (bytes), or undefined when its content leaves a doubt. Base58 without a prefix and base64 always do.
 *
 * - `raw`: exactly so many bytes as the first length, not all of them text (text of that length is a shorter key in some encoding)
 * - `pem`: begins with `-----BEGIN `
 * - `keystore`: begins with `{`, `solana` with `[`, either after JSON white space
 * - `base58`: begins with `ed25519:`
 * - `hex`: twice as many hex digits as a length, with or without `0x` and a final newline
 */
export function detectKeyFormat(content: Buffer, lengths: readonly number[]): KeyFormat | undefined {
  if (content.length === lengths[0] && !content.every(isTextByte)) return 'raw';
  if (content.subarray(0, PEM_START.length).equals(PEM_START)) return 'pem';
  if (hasEd25519Prefix(content)) return 'base58';
  const firstOfJson = content[endOfBlanks(content, 0)];
  if (firstOfJson === OPENING_BRACE) return 'keystore';
  if (firstOfJson === OPENING_BRACKET) return 'solana';
  const text = withoutFinalNewline(content);
  const digits = text.subarray(0, HEX_PREFIX.length).equals(HEX_PREFIX) ? text.subarray(HEX_PREFIX.length) : text;
  return lengths.some((length) => digits.length === 2 * length) && digits.every(isHexDigit) ? 'hex' : undefined;
}

/** Visible ASCII, blank, tab and line breaks. */
function isTextByte(byte: number): boolean {
  return (byte >= 0x20 && byte <= 0x7e) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
