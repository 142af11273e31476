/**
 * Encodings of private keys in files. `solana`: solana-keygen's JSON array of numbers. `mnemonic`:
 * an English phrase of BIP-39, secp256k1 only. HMAC secrets only: `base64url`, `utf8`,
 * `base64-text` (see `SECRET_DECODINGS`).
 */
export const KEY_FILE_FORMATS = [
  'raw',
  'hex',
  'base58',
  'base64',
  'pem',
  'keystore',
  'solana',
  'base64url',
  'utf8',
  'base64-text',
  'mnemonic',
] as const;

/** See {@link KEY_FILE_FORMATS}. */
export type KeyFileFormat = (typeof KEY_FILE_FORMATS)[number];

/** A key file as configured. */
export interface KeyFileReference {
  readonly file: string;
  /** Default: the platform's `secretDecoding` for HMAC secrets, otherwise detected. */
  readonly format?: KeyFileFormat | undefined;
  /** File with the password of a keystore or an encrypted PEM key. */
  readonly passwordFile?: string | undefined;
  /** BIP-32 path of a mnemonic's key; default: the first account of its algorithm's wallets. */
  readonly derivationPath?: string | undefined;
}

const MAX_STEPS = 10;
const MAX_INDEX = 2 ** 31 - 1;
const PATH_PATTERN = /^m(?:\/(?:0|[1-9]\d{0,9})['h]?)*$/;

/** What {@link isDerivationPath} requires, as a clause. */
export const DERIVATION_PATH_MESSAGE = `must be m, then up to ${MAX_STEPS} steps of / and an index below 2147483648, with ' or h after a hardened one, without spaces, such as m/44'/60'/0'/0/0`;

/** Whether a text is a path of BIP-32 from the master key. */
export function isDerivationPath(text: string): boolean {
  const steps = text.split('/').slice(1);
  return PATH_PATTERN.test(text) && steps.length <= MAX_STEPS && steps.every((step) => parseInt(step, 10) <= MAX_INDEX);
}
