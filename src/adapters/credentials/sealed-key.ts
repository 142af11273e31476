import { formatLengths, type KeyLengths, type SecretBytes } from '../../domain/model/account.ts';
import type { KeyIdentity } from '../../ports/key-store.ts';
import type { LockedBuffer } from '../vault/locked-buffer.ts';
import { formatSealed, MAX_SECRET_LENGTH, openSecret, sealSecret, secretLength } from '../vault/secret-bytes.ts';
import type { MasterKey } from './keyring/master-key.ts';
import { parseSealedKey } from './sealed-key-text.ts';

export interface SealedKeyIdentity extends KeyIdentity {
  /** Text form of the algorithm's Signer. */
  readonly publicKey: string;
}

/** A sealed key does not open. The message is a clause about "it", without secrets. */
export class SealedKeyError extends Error {
  override readonly name = 'SealedKeyError';
}

/** Finds a master key by its id. @throws SealedKeyError if it is unavailable */
export type FindMasterKey = (id: string) => MasterKey;

const DOMAIN = 'signing-service/sealed-key/v1';

/** Keys of all algorithms. */
export const SEALED_KEY_LENGTHS: KeyLengths = { min: 1, max: MAX_SECRET_LENGTH };

/**
 * Seals a private key: XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) under the master key, random
 * nonce. Associated data: UTF-8 of the JSON text
 * `["signing-service/sealed-key/v1",platformId,accountId,algorithm,publicKey]`.
 * @param privateKey length within {@link SEALED_KEY_LENGTHS}
 * @returns `v1.<master key id>.<24-byte nonce>.<ciphertext and 16-byte tag>`, the last two in
 * unpadded base64url
 */
export function sealKey(masterKey: MasterKey, identity: SealedKeyIdentity, privateKey: SecretBytes): string {
  const { min, max } = SEALED_KEY_LENGTHS;
  if (privateKey.length < min || privateKey.length > max)
    throw new RangeError(`A key must have ${min} to ${max} bytes.`);
  const sealed = masterKey.use((key) => sealSecret(privateKey, associatedData(identity), key));
  return `v1.${masterKey.id}.${formatSealed(sealed)}`;
}

/**
 * Opens a sealed key in `memory` only, passes it to `use` and wipes it.
 * @param lengths allowed for the private key
 * @param memory large enough for the longest
 * @throws SealedKeyError if malformed, altered, of another identity or length, or its master key is
 * unavailable
 */
export function openSealedKey<Result>(
  keyFor: FindMasterKey,
  identity: SealedKeyIdentity,
  sealed: string,
  lengths: KeyLengths,
  memory: LockedBuffer,
  use: (privateKey: SecretBytes) => Result,
): Result {
  const parts = parseSealedKey(sealed);
  if (parts === undefined) throw new SealedKeyError('is not a sealed key written by `signing-service account add`');
  const masterKey = keyFor(parts.masterKeyId);
  const length = secretLength(parts.sealed);
  if (length < lengths.min || length > lengths.max) {
    throw new SealedKeyError(`has ${length} bytes, but a key of this algorithm has ${formatLengths(lengths)}`);
  }
  return memory.useAndWipe((bytes) => {
    const privateKey = bytes.subarray(0, length);
    try {
      masterKey.use((key) => openSecret(parts.sealed, associatedData(identity), key, privateKey));
    } catch {
      throw new SealedKeyError(
        'cannot be opened: it was sealed for another platformId, accountId, algorithm or publicKey, or it was altered; ' +
          'restore the account that `signing-service account add` wrote',
      );
    }
    return use(privateKey);
  });
}

function associatedData({ platformId, accountId, algorithm, publicKey }: SealedKeyIdentity): Buffer {
  return Buffer.from(JSON.stringify([DOMAIN, platformId, accountId, algorithm, publicKey]));
}
