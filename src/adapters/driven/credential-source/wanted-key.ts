import type { Algorithm } from '../../../domain/model/algorithm.ts';
import type { KeyLengths } from '../../../domain/model/key-lengths.ts';
import type { SecretDecoding } from '../../../domain/model/secret-decoding.ts';

/** What an account's private key has to be, and how its platform writes it. */
export interface WantedKey {
  readonly algorithm: Algorithm;
  readonly lengths: KeyLengths;
  /** How the text of an HMAC secret is read where nothing else is said; of no meaning for other algorithms. */
  readonly secretDecoding: SecretDecoding;
}

/** How a platform's HMAC secrets are read: as it says, else as the text's own bytes. */
export function secretDecodingOf(
  platform: { readonly secretDecoding?: SecretDecoding | undefined } | undefined,
): SecretDecoding {
  return platform?.secretDecoding ?? 'utf8';
}
