/** Stands in a {@link digitTable} for every byte that is no digit; larger than any digit's value. */
export const NOT_A_DIGIT = 0xff;

/**
 * Values of the digits of a text encoding by their ASCII codes: 256 entries. A character's value is its place in its alphabet; several alphabets
 * give several spellings of the same digits.
 */
export function digitTable(...alphabets: readonly string[]): Buffer {
  const table = Buffer.alloc(256, NOT_A_DIGIT);
  for (const alphabet of alphabets) {
    for (let value = 0; value < alphabet.length; value += 1) table[alphabet.charCodeAt(value)] = value;
  }
  return table;
}
