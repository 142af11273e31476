import sodium from 'sodium-native';
import type { KeyLengths } from '../../../domain/model/key-lengths.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { KeyIdentity } from '../../../ports/key-store.ts';
import { boundsText } from '../../../secure-memory/length-bounds.ts';
import type { LockedBuffer } from '../../../secure-memory/locked-buffer.ts';
import type { MasterKey } from './master-key/master-key.ts';
import { parseSealedKey, type SealedParts, TAG_LENGTH } from './sealed-key-text.ts';

/** What a sealed key is bound to: it opens for this account, algorithm and public key only. */
export interface SealedKeyIdentity extends KeyIdentity {
  /** Text form, as the algorithm's Signer writes it. */
  readonly publicKey: string;
}

/** A sealed key does not open. The message is a clause about "it", the key; nothing of the key is in it. */
export class SealedKeyError extends Error {
  override readonly name = 'SealedKeyError';
}

/** Where a sealed key finds its master key. */
export interface MasterKeys {
  /** @throws SealedKeyError when the master key of that id is not at hand */
  keyFor(id: string): MasterKey;
}

const NONCE_LENGTH = 24;
const DOMAIN = 'signing-service/sealed-key/v1';

/** What a sealed text may hold: keys of all algorithms. */
export const SEALED_KEY_LENGTHS: KeyLengths = { min: 1, max: 1024 };

/**
 * Seals a private key for the credentials file: XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03) under the master key, with a random nonce.
 * The associated data is UTF-8 of the JSON text `["signing-service/sealed-key/v1",platformId,accountId,algorithm,publicKey]`.
 *
 * @param privateKey of a length within {@link SEALED_KEY_LENGTHS}
 * @returns `v1.<id of the master key>.<24-byte nonce>.<ciphertext and 16-byte tag>`, the last two in unpadded base64url
 */
export function sealKey(masterKey: MasterKey, identity: SealedKeyIdentity, privateKey: SecretBytes): string {
  const { min, max } = SEALED_KEY_LENGTHS;
  if (privateKey.length < min || privateKey.length > max) throw new RangeError(`A key has ${min} to ${max} bytes.`);
  const nonce = Buffer.alloc(NONCE_LENGTH);
  sodium.randombytes_buf(nonce);
  const ciphertext = Buffer.alloc(privateKey.length + TAG_LENGTH);
  masterKey.use((key) =>
    sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(
      ciphertext,
      privateKey,
      associatedData(identity),
      null,
      nonce,
      key,
    ),
  );
  return `v1.${masterKey.id}.${nonce.toString('base64url')}.${ciphertext.toString('base64url')}`;
}

/**
 * Opens what {@link sealKey} made with the master key that it names, into the start of `memory` and nowhere else, lends it to `use` and wipes it.
 *
 * @param lengths what the private key may have
 * @param memory at least as many bytes as the longest
 * @throws SealedKeyError when the text is malformed or altered, was made under a master key that is not at hand, for another identity, or of a key of another length
 */
export function openSealedKey<Result>(
  masterKeys: MasterKeys,
  identity: SealedKeyIdentity,
  sealed: string,
  lengths: KeyLengths,
  memory: LockedBuffer,
  use: (privateKey: SecretBytes) => Result,
): Result {
  const parts = parseSealedKey(sealed);
  if (parts === undefined) throw new SealedKeyError('is not a sealed key as `signing-service account add` writes it');
  const masterKey = masterKeys.keyFor(parts.masterKeyId);
  const length = parts.ciphertext.length - TAG_LENGTH;
  if (length < lengths.min || length > lengths.max) {
    throw new SealedKeyError(`holds ${length} bytes, but a key of this algorithm has ${boundsText(lengths)}`);
  }
  return memory.useAndWipe((bytes) => {
    const privateKey = bytes.subarray(0, length);
    masterKey.use((key) => decrypt(privateKey, parts, associatedData(identity), key));
    return use(privateKey);
  });
}

function decrypt(privateKey: Buffer, { nonce, ciphertext }: SealedParts, context: Buffer, key: Buffer): void {
  try {
    sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(privateKey, null, ciphertext, context, nonce, key);
  } catch {
    throw new SealedKeyError(
      'does not open: it was sealed for another platformId, accountId, algorithm or publicKey, or it was altered; ' +
        'restore the account as `signing-service account add` wrote it',
    );
  }
}

function associatedData({ platformId, accountId, algorithm, publicKey }: SealedKeyIdentity): Buffer {
  return Buffer.from(JSON.stringify([DOMAIN, platformId, accountId, algorithm, publicKey]));
}
