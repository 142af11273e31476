import { closest, distance } from 'fastest-levenshtein';
import { FIXED_VALUE_NAME_PATTERN } from '../../../../domain/model/payload.ts';
import { IMPORT_FIELDS } from './import-row.ts';

/**
 * Hex digits of 32 or 64 bytes (Ed25519, secp256k1). IDs, labels and paths do not look like this.
 */
const HEX_LENGTHS: readonly number[] = [64, 128];
const HEX = /^[0-9a-f]+$/i;
/** 64 bytes in base58, as Solana wallets export them. */
const BASE58 = /^[1-9A-HJ-NP-Za-km-z]{85,90}$/;
/** 32 or 64 bytes in padded base64. */
const BASE64_LENGTHS: readonly number[] = [44, 88];
const BASE64 = /^[A-Za-z0-9+/]+={1,2}$/;
const MIN_WORDS = 12;
const WORD = /^[a-z]{3,8}$/;

/** Whether a text looks like a private key: hex, base58, base64, PEM, byte array, mnemonic. */
export function resemblesKey(text: string): boolean {
  const digits = text.startsWith('0x') ? text.slice(2) : text;
  const words = text.split(' ');
  return (
    (HEX_LENGTHS.includes(digits.length) && HEX.test(digits)) ||
    BASE58.test(text) ||
    (BASE64_LENGTHS.includes(text.length) && BASE64.test(text)) ||
    text.includes('-----BEGIN') ||
    text.startsWith('[') ||
    (words.length >= MIN_WORDS && words.every((word) => WORD.test(word)))
  );
}

const INSTEAD =
  'an import file must not contain keys. Write each key to its own file, readable only by you, and put its path in keyFile';

/** Issue of a field with a key, as a clause. */
export const KEY_IN_FILE = `looks like a key: ${INSTEAD}`;

/** Issue of an unknown field that sounds like one for keys, as a clause. */
export const FIELD_OF_KEYS = `is an unknown field and looks like one for keys: ${INSTEAD}`;

/** Names that messages may quote. Without a header line, others could be IDs or secrets. */
const QUOTABLE_NAME = /^[A-Za-z][A-Za-z_. -]{0,23}$/;
const KNOWN = `known fields are ${IMPORT_FIELDS.join(', ')} and values.NAME`;
const SECRET_NAME = /key|secret|seed|mnemonic|private|password|passphrase|pem/i;

/** Issue of an unknown column or member, as a clause. */
export function fieldNameIssue(name: string): { readonly field: string | null; readonly message: string } {
  if (!QUOTABLE_NAME.test(name)) return { field: null, message: `has an unknown field; ${KNOWN}` };
  const nearest = closest(name, IMPORT_FIELDS);
  if (distance(name.toLowerCase(), nearest.toLowerCase()) <= 2) {
    return { field: name, message: `is an unknown field; did you mean ${nearest}?` };
  }
  if (SECRET_NAME.test(name)) return { field: name, message: FIELD_OF_KEYS };
  return { field: name, message: `is an unknown field; ${KNOWN}` };
}

/** NAME of `values.NAME`; undefined for other texts. */
export function getValueName(text: string): string | undefined {
  const [head, name = ''] = text.split(/\.(.*)/s);
  return head === 'values' && FIXED_VALUE_NAME_PATTERN.test(name) ? name : undefined;
}
