import { skipWhitespace, withoutFinalNewline } from './secret-text.ts';

const PREFIX = Buffer.from('ed25519:');

/** Whether a text has the prefix of Ed25519 keys of NEAR and Orderly tools (base58). */
export function hasEd25519Prefix(text: Buffer): boolean {
  return text.subarray(0, PREFIX.length).equals(PREFIX);
}

/** A view of `text` without the prefix `ed25519:`. */
export function withoutEd25519Prefix(text: Buffer): Buffer {
  return hasEd25519Prefix(text) ? text.subarray(PREFIX.length) : text;
}

/**
 * Encodings of private keys in key files; `solana` is solana-keygen's JSON array, `mnemonic`
 * (BIP-39, secp256k1 only) is never detected.
 */
export const KEY_FORMATS = ['raw', 'hex', 'base58', 'base64', 'pem', 'keystore', 'solana', 'mnemonic'] as const;

/**
 * Encodings of secrets that platforms issue: `base64url` with or without padding, `utf8` the
 * characters, `base64-text` their base64. Never detected.
 */
export const TEXT_FORMATS = ['base64url', 'utf8', 'base64-text'] as const;

/** See {@link KEY_FORMATS} and {@link TEXT_FORMATS}. */
export type KeyFormat = (typeof KEY_FORMATS)[number] | (typeof TEXT_FORMATS)[number];

const PEM_START = Buffer.from('-----BEGIN ');
const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
const HEX_PREFIX = Buffer.from('0x');

/**
 * Detects the encoding of a key of one of `lengths` (bytes); undefined if ambiguous, as base64 and
 * base58 without prefix always are.
 *
 * - `raw`: exactly the first length, not all text (that would be a shorter key, encoded)
 * - `pem`: starts with `-----BEGIN `
 * - `keystore`: starts with `{`, `solana` with `[`, after optional JSON white space
 * - `base58`: starts with `ed25519:`
 * - `hex`: two digits per byte, optional `0x` and final newline
 */
export function detectKeyFormat(content: Buffer, lengths: readonly number[]): KeyFormat | undefined {
  if (content.length === lengths[0] && !content.every(isTextByte)) return 'raw';
  if (isPem(content)) return 'pem';
  if (hasEd25519Prefix(content)) return 'base58';
  const firstOfJson = content[skipWhitespace(content, 0)];
  if (firstOfJson === OPENING_BRACE) return 'keystore';
  if (firstOfJson === OPENING_BRACKET) return 'solana';
  const text = withoutFinalNewline(content);
  const digits = text.subarray(0, HEX_PREFIX.length).equals(HEX_PREFIX) ? text.subarray(HEX_PREFIX.length) : text;
  return lengths.some((length) => digits.length === 2 * length) && digits.every(isHexDigit) ? 'hex' : undefined;
}

/** Whether a text is `0x` and hex digits, with an optional final newline. */
export function isPrefixedHex(content: Buffer): boolean {
  const text = withoutFinalNewline(content);
  return text.subarray(0, HEX_PREFIX.length).equals(HEX_PREFIX) && text.subarray(HEX_PREFIX.length).every(isHexDigit);
}

/** Whether a text begins as PEM does (RFC 7468). */
export function isPem(content: Buffer): boolean {
  return content.subarray(0, PEM_START.length).equals(PEM_START);
}

/** Printable ASCII, space, tab and line breaks. */
function isTextByte(byte: number): boolean {
  return (byte >= 0x20 && byte <= 0x7e) || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
