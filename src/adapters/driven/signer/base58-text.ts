const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Two digits, by their value. */
const PAIRS = Array.from(
  { length: 58 ** 2 },
  (_, value) => `${ALPHABET[Math.floor(value / 58)]}${ALPHABET[value % 58]}`,
);

/** Four digits times three bytes are below 2^53, so that no number in between is inexact. */
const FOUR_DIGITS = 58 ** 4;
const THREE_BYTES = 2 ** 24;

/**
 * Base58 (Bitcoin's alphabet) of bytes, such as a signature: what bs58 writes, in a fraction of its
 * time (`npm run measure -- encodings`). bs58 goes digit by digit, for an alphabet of any length;
 * this takes three bytes and four digits in a step. Texts are read by bs58 alone.
 */
export function base58Text(bytes: Buffer): string {
  let digits = '';
  for (const limb of limbsOf(bytes)) {
    const low = limb % PAIRS.length;
    digits = `${PAIRS[(limb - low) / PAIRS.length]}${PAIRS[low]}${digits}`;
  }
  // Each zero byte at the beginning is a digit; zeros before the number's first digit are none.
  const firstByte = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(firstByte === -1 ? bytes.length : firstByte) + digits.replace(/^1+/, '');
}

/** The number that the bytes are, the first byte the greatest, in base 58^4, the least first. */
function limbsOf(bytes: Buffer): readonly number[] {
  const limbs: number[] = [];
  let next = 0;
  for (let at = 0; at < bytes.length; at = next) {
    // The first bytes may be fewer than three, so that those after them are three each.
    next = at === 0 ? bytes.length % 3 || 3 : at + 3;
    let carry = bytes.readUIntBE(at, next - at);
    for (let index = 0; index < limbs.length; index += 1) {
      carry += (limbs[index] as number) * THREE_BYTES;
      const quotient = Math.floor(carry / FOUR_DIGITS);
      limbs[index] = carry - quotient * FOUR_DIGITS;
      carry = quotient;
    }
    for (; carry > 0; carry = Math.floor(carry / FOUR_DIGITS)) limbs.push(carry % FOUR_DIGITS);
  }
  return limbs;
}
