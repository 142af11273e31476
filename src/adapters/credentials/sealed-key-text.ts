import { SEALED_KEY_PATTERN } from '../../domain/model/configured-account.ts';
import { formatSealed, type SealedSecret } from '../vault/secret-bytes.ts';

const VERSION = 'v1.';
const ID_DIGITS = 16;

/** Parts of a sealed key, `v1.<master key id>.<nonce>.<ciphertext and tag>`. */
interface SealedParts {
  /** 16 hex digits. */
  readonly masterKeyId: string;
  readonly sealed: SealedSecret;
}

/** Parses a sealed key; undefined if malformed. Does not open it. */
export function parseSealedKey(text: string): SealedParts | undefined {
  const [, masterKeyId, nonce, ciphertext] = SEALED_KEY_PATTERN.exec(text) ?? [];
  if (masterKeyId === undefined) return undefined;
  const sealed = Buffer.from(`${nonce}${ciphertext}`, 'base64url');
  // Node's decoder ignores stray trailing bits, which would allow several texts per key.
  return formatSealed(sealed) === `${nonce}.${ciphertext}` ? { masterKeyId, sealed } : undefined;
}

/** The master key id in the text of a sealed key, without parsing: large files have 100,000. */
export function getSealingKeyId(sealed: string): string {
  return sealed.slice(VERSION.length, VERSION.length + ID_DIGITS);
}
