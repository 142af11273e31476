import type { JsonValue } from '../../model/json.ts';
import { typedDataInteger } from './eip712.ts';

/** Prime of StarkNet's field elements ("felts"), 2^251 + 17·2^192 + 1. */
export const FELT_PRIME = 2n ** 251n + 17n * 2n ** 192n + 1n;

/** Name of the fixed value with the account's StarkNet address. */
export const STARKNET_ADDRESS = 'address';

/** Contract addresses end below 2^251 − 256 (StarkNet documentation, "Contract address"). */
const ADDRESS_END = 2n ** 251n - 256n;

/** Parses a StarkNet address, `0x` and 1 to 64 hex digits; undefined for anything else. */
export function parseStarknetAddress(text: string): bigint | undefined {
  if (!/^0x[0-9A-Fa-f]{1,64}$/.test(text)) return undefined;
  const address = BigInt(text);
  return address > 0n && address < ADDRESS_END ? address : undefined;
}

/** Cairo short strings: up to 31 ASCII characters; here the printable ones. */
const SHORT_STRING = /^[\x20-\x7e]{0,31}$/;

/**
 * Texts that some libraries read as a number and others as text: leading zeros, signs, white space
 * around, other bases.
 */
function isAmbiguous(text: string): boolean {
  return text.startsWith(' ') || text.endsWith(' ') || /^(?:[-+]?[0-9]+$|0[A-Za-z])/.test(text);
}

/**
 * Parses a felt as StarkNet libraries do: a number, decimal digits, or `0x` and hex digits, below
 * the prime; other text is a short string, its ASCII bytes read as a big-endian number. Undefined
 * for anything else and for texts that libraries read differently.
 *
 * @example parseFelt('BTC') // 0x425443n
 */
export function parseFelt(value: JsonValue | undefined): bigint | undefined {
  const number = typedDataInteger(value);
  if (number !== undefined) return number >= 0n && number < FELT_PRIME ? number : undefined;
  return typeof value === 'string' && !isAmbiguous(value) ? parseShortString(value) : undefined;
}

/** What {@link parseFelt} reads, for messages. */
export const FELT_REQUIREMENT =
  'must be an integer from 0 to 2^251 + 17*2^192, as a number, or as a string of decimal digits without leading zeros or of 0x and 1 to 64 hex digits; or a short string: at most 31 printable ASCII characters that do not look like a number (such as 007, +5 or 0b1), without a space at either end';

/** A short string of up to 31 printable ASCII characters as a felt; undefined for anything else. */
function parseShortString(text: string): bigint | undefined {
  if (!SHORT_STRING.test(text)) return undefined;
  return Array.from(text).reduce((felt, character) => (felt << 8n) | BigInt(character.charCodeAt(0)), 0n);
}

/** The short string of a felt; undefined for one without, which other bytes or none make. */
export function toShortString(felt: bigint): string | undefined {
  const digits = felt.toString(16);
  const hex = digits.length % 2 === 0 ? digits : `0${digits}`;
  const text = String.fromCharCode(...Array.from(hex.matchAll(/../g), ([byte]) => Number.parseInt(byte, 16)));
  return felt > 0n && SHORT_STRING.test(text) ? text : undefined;
}

/** First element of what is hashed and signed (SNIP-12, "Prefix message"). */
export const MESSAGE_PREFIX = parseShortString('StarkNet Message') ?? 0n;
