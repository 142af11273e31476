const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ZERO = '1';

/** Digits of base 58 by two, by their value. */
const PAIRS: readonly string[] = [...ALPHABET].flatMap((high) => [...ALPHABET].map((low) => high + low));

/** Work goes by four digits and three bytes: four digits times 2^24 are below 2^53, so that no number in between is inexact. */
const PAIR = 58 ** 2;
const FOUR_DIGITS = PAIR ** 2;
const THREE_BYTES = 2 ** 24;

/** More than log(256) / log(58) / 4 for a byte. */
const LIMBS_PER_BYTE = 0.35;

/**
 * Base58 (Bitcoin's alphabet) of bytes, such as a signature: what bs58 writes, in a fifth of the time for 64 bytes (`npm run measure:encodings`). The work is quadratic in the number of digits, and bs58 does it digit by
 * digit, for an alphabet of any length. Texts are read by bs58 alone.
 */
export function base58Text(bytes: Uint8Array): string {
  // Base 58^4, the least first.
  const limbs = new Float64Array(Math.ceil(bytes.length * LIMBS_PER_BYTE) + 1);
  let used = 0;
  for (let at = 0; at < bytes.length; at = nextAt(at, bytes.length)) {
    let carry = bigEndian(bytes, at, nextAt(at, bytes.length));
    for (let index = 0; index < used; index += 1) {
      carry += (limbs[index] as number) * THREE_BYTES;
      const quotient = Math.floor(carry / FOUR_DIGITS);
      limbs[index] = carry - quotient * FOUR_DIGITS;
      carry = quotient;
    }
    for (; carry > 0; used += 1) {
      limbs[used] = carry % FOUR_DIGITS;
      carry = Math.floor(carry / FOUR_DIGITS);
    }
  }
  let digits = '';
  for (let index = used - 1; index >= 0; index -= 1) digits += fourDigits(limbs[index] as number);
  return zerosFor(bytes) + withoutZeros(digits);
}

/** The first bytes may be fewer than three, so that those after them are three each. */
function nextAt(at: number, length: number): number {
  return at === 0 ? length % 3 || 3 : at + 3;
}

function bigEndian(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) value = value * 256 + (bytes[at] as number);
  return value;
}

function fourDigits(value: number): string {
  const low = value % PAIR;
  return `${PAIRS[(value - low) / PAIR]}${PAIRS[low]}`;
}

/** One digit for each zero byte at the beginning, whose value adds none. */
function zerosFor(bytes: Uint8Array): string {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  return ZERO.repeat(zeros);
}

function withoutZeros(digits: string): string {
  let from = 0;
  while (digits[from] === ZERO) from += 1;
  return digits.slice(from);
}
