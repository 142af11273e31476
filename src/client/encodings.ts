const BASE58_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Decoding is quadratic; a 512-byte signature has at most 700 digits. */
const MAX_BASE58_DIGITS = 700;

/**
 * Decodes a signature or key; null if malformed, not canonical, or base58 of more than 700
 * characters.
 */
export function decodeText(text: string, encoding: string): Buffer | null {
  if (encoding === 'base58') return decodeBase58(text);
  if (encoding === 'base64' || encoding === 'base64url') return decodeStrict(text, encoding);
  if (encoding === 'base64url-padded') return decodePaddedBase64Url(text);
  if (encoding === '0x-hex') return text.startsWith('0x') ? decodeStrict(text.slice(2), 'hex') : null;
  if (encoding === 'hex') return decodeStrict(text, encoding);
  return null;
}

/** All decodings of this length, for a signature whose encoding the response does not name. */
export function decodeAnyEncoding(text: string, length: number): readonly Buffer[] {
  return ['base58', 'base64', 'base64url', 'base64url-padded', 'hex', '0x-hex'].flatMap((encoding) => {
    const bytes = decodeText(text, encoding);
    return bytes?.length === length ? [bytes] : [];
  });
}

function decodeStrict(text: string, encoding: 'base64' | 'base64url' | 'hex'): Buffer | null {
  const bytes = Buffer.from(text, encoding);
  return text !== '' && bytes.toString(encoding) === text ? bytes : null;
}

/** RFC 4648 §5 with padding. */
function decodePaddedBase64Url(text: string): Buffer | null {
  if (/[+/]/.test(text)) return null;
  return decodeStrict(text.replaceAll('-', '+').replaceAll('_', '/'), 'base64');
}

/** Bitcoin's alphabet, no checksum. */
function decodeBase58(text: string): Buffer | null {
  if (text.length > MAX_BASE58_DIGITS) return null;
  let number = 0n;
  for (const character of text) {
    const digit = BASE58_ALPHABET.indexOf(character);
    if (digit < 0) return null;
    number = number * 58n + BigInt(digit);
  }
  const hex = number === 0n ? '' : number.toString(16);
  const rest = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  const zeros = text.length - text.replace(/^1+/, '').length;
  return Buffer.concat([Buffer.alloc(zeros), rest]);
}
