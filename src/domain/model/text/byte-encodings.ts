const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/*
 * Digits of texts of up to a megabyte are written as bytes and decoded at once: adding up strings
 * would block the event loop ten times as long.
 */

const HEX_DIGITS = encoder.encode('0123456789abcdef');
const UPPERCASE_HEX_DIGITS = encoder.encode('0123456789ABCDEF');
/** Values of hex digits of either case by ASCII code. */
const NIBBLES = new Uint8Array(128);
for (const digits of [HEX_DIGITS, UPPERCASE_HEX_DIGITS])
  for (const [value, digit] of digits.entries()) NIBBLES[digit] = value;

const BASE64_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE64_DIGITS = encoder.encode(BASE64_ALPHABET);
const BASE64URL_DIGITS = encoder.encode(BASE64_ALPHABET.replace('+', '-').replace('/', '_'));
const NOT_A_DIGIT = 0xff;
/** Base64 digit values by ASCII code. */
const SEXTETS = new Uint8Array(128).fill(NOT_A_DIGIT);
for (const [value, digit] of BASE64_DIGITS.entries()) SEXTETS[digit] = value;

const PERCENT = '%'.charCodeAt(0);
/** Unreserved characters (RFC 3986 §2.3). */
const UNRESERVED_TEXT = /^[\w.~-]*$/;
const UNRESERVED: ReadonlySet<number> = new Set(
  encoder.encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~'),
);

const BASE58_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS_OF_LIMB = 6;
/** Times 65,536 exact in a double. */
const LIMB = 58 ** DIGITS_OF_LIMB;
/** Decoding is quadratic; a signature of 512 bytes has at most 700 digits. */
const MAX_BASE58_DIGITS = 700;

/** Hex: two lowercase digits per byte, without `0x`. */
export function encodeHex(bytes: Uint8Array): string {
  const text = new Uint8Array(2 * bytes.length);
  for (let index = 0; index < bytes.length; index += 1) writeHex(text, 2 * index, bytes[index] as number, HEX_DIGITS);
  return decoder.decode(text);
}

function writeHex(text: Uint8Array, at: number, byte: number, digits: Uint8Array): void {
  text[at] = digits[byte >> 4] as number;
  text[at + 1] = digits[byte & 0xf] as number;
}

/**
 * Decodes hex of either case, with or without `0x`. Undefined for anything else.
 *
 * @example decodeHex('0xC3a9') // the bytes C3 A9
 */
export function decodeHex(text: string): Uint8Array | undefined {
  const digits = text.startsWith('0x') ? text.slice(2) : text;
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) return undefined;
  const bytes = new Uint8Array(digits.length / 2);
  for (let index = 0; index < bytes.length; index += 1) {
    const high = NIBBLES[digits.charCodeAt(2 * index)] as number;
    bytes[index] = (high << 4) | (NIBBLES[digits.charCodeAt(2 * index + 1)] as number);
  }
  return bytes;
}

/** Encodes base64url without padding (RFC 4648 §5, RFC 7515 §2). */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeSextets(bytes, BASE64URL_DIGITS);
}

function encodeSextets(bytes: Uint8Array, digits: Uint8Array): string {
  const text = new Uint8Array(Math.ceil((4 * bytes.length) / 3));
  for (let at = 0; at < text.length; at += 1) {
    // Six bits of two bytes.
    const first = Math.floor((6 * at) / 8);
    const bits = ((bytes[first] as number) << 8) | (bytes[first + 1] ?? 0);
    text[at] = digits[(bits >> (10 - ((6 * at) % 8))) & 0x3f] as number;
  }
  return decoder.decode(text);
}

/**
 * Decodes canonical padded base64 (RFC 4648 §4, §3.5): encoding the bytes gives the same text.
 * Undefined for anything else.
 *
 * @example decodeBase64('w6k=') // the bytes C3 A9
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined;
  const padding = text.endsWith('==') ? 2 : Number(text.endsWith('='));
  const digitCount = text.length - padding;
  const bytes = new Uint8Array(Math.floor((digitCount * 3) / 4));
  let bits = 0;
  let bitCount = 0;
  let written = 0;
  for (let at = 0; at < digitCount; at += 1) {
    const sextet = SEXTETS[text.charCodeAt(at)] ?? NOT_A_DIGIT;
    if (sextet === NOT_A_DIGIT) return undefined;
    bits = ((bits << 6) | sextet) & 0xfff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[written] = bits >> bitCount;
    written += 1;
  }
  const unused = bits & ((1 << bitCount) - 1);
  return unused === 0 ? bytes : undefined;
}

/** Base64 (RFC 4648 §4), padded. */
export function encodeBase64(bytes: Uint8Array): string {
  return encodeSextets(bytes, BASE64_DIGITS) + '='.repeat((3 - (bytes.length % 3)) % 3);
}

/** Percent-encodes the UTF-8 of a text, except RFC 3986 §2.3 unreserved characters. */
export function percentEncode(text: string): string {
  if (UNRESERVED_TEXT.test(text)) return text;
  const bytes = encoder.encode(text);
  const encoded = new Uint8Array(3 * bytes.length);
  let length = 0;
  for (const byte of bytes) {
    if (UNRESERVED.has(byte)) {
      encoded[length] = byte;
      length += 1;
    } else {
      encoded[length] = PERCENT;
      writeHex(encoded, length + 1, byte, UPPERCASE_HEX_DIGITS);
      length += 3;
    }
  }
  return decoder.decode(encoded.subarray(0, length));
}

/**
 * Base58 with Bitcoin's alphabet, no checksum (draft-msporny-base58-03 §3). Two bytes and six
 * digits per step, because each Ed25519 signature is encoded here.
 */
export function encodeBase58(bytes: Uint8Array): string {
  const limbs = toLimbs(bytes);
  const digits = new Array<number>(limbs.length * DIGITS_OF_LIMB);
  let at = digits.length;
  for (const limb of limbs) {
    let rest = limb;
    for (let count = 0; count < DIGITS_OF_LIMB; count += 1) {
      const quotient = Math.floor(rest / 58);
      at -= 1;
      digits[at] = BASE58_ALPHABET.charCodeAt(rest - quotient * 58);
      rest = quotient;
    }
  }
  // Each leading zero byte becomes one digit; leading zeros of the number itself are dropped.
  const firstByte = bytes.findIndex((byte) => byte !== 0);
  const zeros = BASE58_ALPHABET.charAt(0).repeat(firstByte === -1 ? bytes.length : firstByte);
  return zeros + String.fromCharCode(...digits).replace(/^1+/, '');
}

/** A big-endian number in base 58^6, least significant first. */
function toLimbs(bytes: Uint8Array): readonly number[] {
  const limbs: number[] = [];
  const odd = bytes.length % 2;
  if (odd === 1) limbs.push(bytes[0] as number);
  for (let at = odd; at < bytes.length; at += 2) {
    let carry = (bytes[at] as number) * 256 + (bytes[at + 1] as number);
    for (let index = 0; index < limbs.length; index += 1) {
      carry += (limbs[index] as number) * 65_536;
      const quotient = Math.floor(carry / LIMB);
      limbs[index] = carry - quotient * LIMB;
      carry = quotient;
    }
    if (carry > 0) limbs.push(carry);
  }
  return limbs;
}

/** Decodes base58 of at most 700 characters. Undefined for anything else. */
export function decodeBase58(text: string): Uint8Array | undefined {
  if (text.length > MAX_BASE58_DIGITS) return undefined;
  let number = 0n;
  for (const character of text) {
    const value = BASE58_ALPHABET.indexOf(character);
    if (value === -1) return undefined;
    number = number * 58n + BigInt(value);
  }
  const zeros = text.length - text.replace(/^1+/, '').length;
  const hex = number === 0n ? '' : number.toString(16);
  return decodeHex('00'.repeat(zeros) + hex.padStart(hex.length + (hex.length % 2), '0'));
}
