const BASE64_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const CANONICAL_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;

const SEXTETS: ReadonlyMap<string, number> = new Map([...BASE64_ALPHABET].map((sign, sextet) => [sign, sextet]));

/**
 * Decodes hexadecimal text: two digits a byte, either case, with or without `0x` before them. Undefined for anything else.
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

/**
 * Decodes base64 of RFC 4648 §4: standard alphabet, padded, and canonical (§3.5: the unused bits of the last character are zero), so that
 * encoding the bytes again gives the very same text. Undefined for anything else.
 *
 * @example decodeBase64('w6k=') // the bytes C3 A9
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (!CANONICAL_BASE64.test(text)) return undefined;
  const signs = text.replace(/={1,2}$/, '');
  const bytes = new Uint8Array(Math.floor((signs.length * 3) / 4));
  let bits = 0;
  let bitCount = 0;
  let written = 0;
  for (const sign of signs) {
    bits = ((bits << 6) | (SEXTETS.get(sign) ?? 0)) & 0xfff;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    bytes[written] = bits >> bitCount;
    written += 1;
  }
  return bytes;
}
