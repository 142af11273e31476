/** Digits of 32 or 64 bytes in hex, as Ed25519 and secp256k1 keys have them. No id, label or path is like that. */
const HEX_LENGTHS: readonly number[] = [64, 128];
const HEX = /^[0-9a-f]+$/i;
/** 64 bytes in base58, as Solana's wallets give keys out. */
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{85,90}$/;
/** 32 or 64 bytes in base64, padding included. */
const BASE64_LENGTHS: readonly number[] = [44, 88];
const BASE64 = /^[A-Za-z0-9+/]+={1,2}$/;
const LEAST_WORDS = 12;
const WORD = /^[a-z]{3,8}$/;

/** Whether a text is written like a private key: hex, base58, base64, PEM, a list of bytes, or the words of a wallet. */
export function looksLikeKey(text: string): boolean {
  const digits = text.startsWith('0x') ? text.slice(2) : text;
  const words = text.split(' ');
  return (
    (HEX_LENGTHS.includes(digits.length) && HEX.test(digits)) ||
    BASE58.test(text) ||
    (BASE64_LENGTHS.includes(text.length) && BASE64.test(text)) ||
    text.includes('-----BEGIN') ||
    text.startsWith('[') ||
    (words.length >= LEAST_WORDS && words.every((word) => WORD.test(word)))
  );
}

const INSTEAD =
  'keys never stand in an import file. Write each into a file of its own, which only you can read, and name that in keyFile';

/** Why such a text has no place in an import file, as a clause about its field. */
export const KEY_IN_FILE = `looks like a key: ${INSTEAD}`;

/** Why no field has such a name, as a clause about it. */
export const FIELD_OF_KEYS = `is not a known field, and sounds like one for keys: ${INSTEAD}`;
