const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const BASE64_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE64URL_ALPHABET = BASE64_ALPHABET.replace('+', '-').replace('/', '_');
const NOT_A_DIGIT = 0xff;
/** Base64 digit values by ASCII code. */
const SEXTETS = new Uint8Array(128).fill(NOT_A_DIGIT);
for (const [value, digit] of [...BASE64_ALPHABET].entries()) SEXTETS[digit.charCodeAt(0)] = value;

const BASE58_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS_OF_LIMB = 6;
/** Times 65,536 exact in a double. */
const LIMB = 58 ** DIGITS_OF_LIMB;
/** Decoding is quadratic; a signature of 512 bytes has at most 700 digits. */
const MAX_BASE58_DIGITS = 700;

/** Hex: two lowercase digits per byte, without `0x`. */
export function encodeHex(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
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
    bytes[index] = Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16);
  }
  return bytes;
}

/** Encodes base64url without padding (RFC 4648 §5, RFC 7515 §2). */
export function encodeBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += 3) {
    const group = bytes.subarray(start, start + 3);
    const bits = ((group[0] ?? 0) << 16) | ((group[1] ?? 0) << 8) | (group[2] ?? 0);
    for (let digit = 0; digit <= group.length; digit += 1) {
      text += BASE64URL_ALPHABET[(bits >> (18 - 6 * digit)) & 0x3f];
    }
  }
  return text;
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
  let text = '';
  for (let index = 0; index < bytes.length; index += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(index, index + 3);
    const group = (first << 16) | (second << 8) | third;
    for (const shift of [18, 12, 6, 0]) text += BASE64_ALPHABET[(group >> shift) & 0x3f];
  }
  const missing = (3 - (bytes.length % 3)) % 3;
  return missing === 0 ? text : text.slice(0, -missing) + '='.repeat(missing);
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
