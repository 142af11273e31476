const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Longer texts are none of a key or signature, and take time that grows with the square of their length. */
const MOST_CHARACTERS = 128;

/** Bytes of a base58 text (Bitcoin's alphabet, no checksum); null where it is none or is of more than 128 characters. */
export function decodeBase58(text: string): Buffer | null {
  if (text.length > MOST_CHARACTERS) return null;
  let number = 0n;
  for (const character of text) {
    const digit = DIGITS.indexOf(character);
    if (digit < 0) return null;
    number = number * 58n + BigInt(digit);
  }
  const hex = number === 0n ? '' : number.toString(16);
  const rest = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  return Buffer.concat([Buffer.alloc(leadingOnes(text)), rest]);
}

function leadingOnes(text: string): number {
  let count = 0;
  while (text[count] === '1') count += 1;
  return count;
}
