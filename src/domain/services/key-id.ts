import type { Hasher } from '../../ports/hasher.ts';
import type { AccountProfile } from '../model/account.ts';
import { isMacAlgorithm } from '../model/algorithm.ts';

const PREFIX_LENGTH = 'sha256:'.length;
const DIGITS = 16;

/**
 * Short name of an account's key, for records: of a public key the first 16 hex digits of the
 * SHA-256 of its text form in UTF-8, which `printf %s "$publicKey" | sha256sum` prints; of an HMAC
 * secret its ID, `hmac:<16 hex>`. Accounts with the same key have the same one, also if their
 * algorithms differ but share the form of their public keys.
 */
export function toKeyId(
  hasher: Hasher,
  { algorithm, publicKey }: Pick<AccountProfile, 'algorithm' | 'publicKey'>,
): string {
  if (isMacAlgorithm(algorithm)) return publicKey;
  return hasher.sha256(publicKey).slice(PREFIX_LENGTH, PREFIX_LENGTH + DIGITS);
}
