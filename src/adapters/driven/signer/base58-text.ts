const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ZERO = ALPHABET.charCodeAt(0);

/** Work goes by four digits and three bytes: four digits times 2^24 are below 2^53, so that no number in between is inexact. */
const PAIR = 58 ** 2;
const FOUR_DIGITS = PAIR ** 2;
const THREE_BYTES = 2 ** 24;

/** Character codes of two digits, by their value: the first ones, and the second ones. */
const FIRSTS = Uint8Array.from({ length: PAIR }, (_, value) => ALPHABET.charCodeAt(Math.floor(value / 58)));
const SECONDS = Uint8Array.from({ length: PAIR }, (_, value) => ALPHABET.charCodeAt(value % 58));

/** More than log(256) / log(58) / 4 for a byte. */
const LIMBS_PER_BYTE = 0.35;

/** Kept, since memory of its own for each text takes a good part of the time. What is written here is public: signatures. */
const LIMBS = new Float64Array(24);

/**
 * Base58 (Bitcoin's alphabet) of bytes, such as a signature: what bs58 writes, in a fraction of the time for 64 bytes (`npm run measure:encodings`). The work is quadratic in the number of digits, and bs58 does it digit by
 * digit, for an alphabet of any length. Texts are read by bs58 alone.
 */
export function base58Text(bytes: Uint8Array): string {
  const most = Math.ceil(bytes.length * LIMBS_PER_BYTE) + 1;
  const limbs = most > LIMBS.length ? new Float64Array(most) : LIMBS;
  const used = convert(bytes, limbs);
  const digits = Buffer.allocUnsafe(bytes.length + 4 * used);
  const zeros = leadingZeros(bytes);
  // In front of the number's digits, of which the first ones may be zeros that stand for nothing.
  const from = bytes.length;
  writeDigits(limbs, used, digits, from);
  let first = from;
  while (first < digits.length && digits[first] === ZERO) first += 1;
  digits.fill(ZERO, first - zeros, first);
  return digits.toString('latin1', first - zeros);
}

/** Writes the number that the bytes are, the first byte the greatest, in base 58^4, the least first; returns how many places it takes. */
function convert(bytes: Uint8Array, limbs: Float64Array): number {
  let used = 0;
  let next = 0;
  for (let at = 0; at < bytes.length; at = next) {
    // The first bytes may be fewer than three, so that those after them are three each.
    next = at === 0 ? bytes.length % 3 || 3 : at + 3;
    let carry = 0;
    for (let index = at; index < next; index += 1) carry = carry * 256 + (bytes[index] as number);
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
  return used;
}

function writeDigits(limbs: Float64Array, used: number, digits: Buffer, from: number): void {
  let at = from;
  for (let index = used - 1; index >= 0; index -= 1) {
    const limb = limbs[index] as number;
    const low = limb % PAIR;
    const high = (limb - low) / PAIR;
    digits[at] = FIRSTS[high] as number;
    digits[at + 1] = SECONDS[high] as number;
    digits[at + 2] = FIRSTS[low] as number;
    digits[at + 3] = SECONDS[low] as number;
    at += 4;
  }
}

/** Each zero byte at the beginning is a digit, whose value adds none. */
function leadingZeros(bytes: Uint8Array): number {
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros += 1;
  return zeros;
}
