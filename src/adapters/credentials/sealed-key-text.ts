import { SEALED_KEY_PATTERN } from '../../domain/model/configured-account.ts';

/** Authentication tag length, bytes (XChaCha20-Poly1305, draft-irtf-cfrg-xchacha-03). */
export const TAG_LENGTH = 16;

const VERSION = 'v1.';
const ID_DIGITS = 16;

/** Parts of a sealed key, `v1.<master key id>.<nonce>.<ciphertext and tag>`. */
export interface SealedParts {
  /** 16 hex digits. */
  readonly masterKeyId: string;
  /** 24 bytes. */
  readonly nonce: Buffer;
  /** Encrypted key and tag. */
  readonly ciphertext: Buffer;
}

/** Parses a sealed key; undefined if malformed. Does not open it. */
export function parseSealedKey(text: string): SealedParts | undefined {
  const [, masterKeyId, nonceText, ciphertextText] = SEALED_KEY_PATTERN.exec(text) ?? [];
  if (masterKeyId === undefined || nonceText === undefined || ciphertextText === undefined) return undefined;
  const nonce = Buffer.from(nonceText, 'base64url');
  const ciphertext = Buffer.from(ciphertextText, 'base64url');
  // Node's decoder ignores stray trailing bits, which would allow several texts per key.
  if (ciphertext.toString('base64url') !== ciphertextText) return undefined;
  return { masterKeyId, nonce, ciphertext };
}

/** The master key id in the text of a sealed key, without parsing: large files have 100,000. */
export function getSealingKeyId(sealed: string): string {
  return sealed.slice(VERSION.length, VERSION.length + ID_DIGITS);
}
