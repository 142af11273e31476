import { randomUUID } from 'node:crypto';
import sodium from 'sodium-native';
import { KeyUnavailableError } from '../../../domain/model/errors.ts';
import type { KeyHandle } from '../../../domain/model/key-handle.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { KeyIdentity, KeyStore } from '../../../ports/key-store.ts';
import { LockedBuffer } from '../../../secure-memory/locked-buffer.ts';

/** A key as the vault keeps it: XChaCha20-Poly1305 ciphertext, bound to its account by the associated data. */
interface SealedKey {
  readonly nonce: Buffer;
  readonly ciphertext: Buffer;
  readonly associatedData: Buffer;
  readonly length: number;
}

/** Longest key that the vault takes, bytes: the size of the scratch memory in which keys are opened. */
const MAX_KEY_LENGTH = 1024;

/**
 * KeyStore over libsodium. Keys lie in ordinary memory as ciphertext under a random key-encryption key that exists only in
 * locked, guarded memory of this process. A key is opened into one locked scratch buffer for the time of a synchronous callback,
 * and the scratch is zeroed before anything else can run. Both buffers have no access rights between uses.
 */
export class SodiumKeyStore implements KeyStore {
  readonly #sealed = new Map<string, SealedKey>();
  readonly #keyEncryptionKey: LockedBuffer;
  readonly #scratch: LockedBuffer;
  #purged = false;

  /** @throws MemoryLockError when memory for keys can't be locked. */
  constructor() {
    this.#keyEncryptionKey = new LockedBuffer(sodium.crypto_aead_xchacha20poly1305_ietf_KEYBYTES);
    this.#scratch = new LockedBuffer(MAX_KEY_LENGTH);
    this.#keyEncryptionKey.use((key) => sodium.randombytes_buf(key));
  }

  create(identity: KeyIdentity, length: number, fill: (secret: SecretBytes) => void): KeyHandle {
    this.#assertUsable();
    if (!Number.isInteger(length) || length < 1 || length > MAX_KEY_LENGTH) {
      throw new RangeError(`A key has 1 to ${MAX_KEY_LENGTH} bytes.`);
    }
    const id = randomUUID();
    const associatedData = Buffer.from(
      JSON.stringify([id, identity.platformId, identity.accountId, identity.algorithm]),
    );
    this.#sealed.set(
      id,
      this.#scratch.useAndWipe((scratch) => {
        const secret = scratch.subarray(0, length);
        assertSynchronous(fill(secret));
        return this.#seal(secret, associatedData);
      }),
    );
    return { id };
  }

  use<Result>(handle: KeyHandle, action: (secret: SecretBytes) => Result): Result {
    this.#assertUsable();
    const sealed = this.#sealed.get(handle.id);
    if (sealed === undefined) throw new KeyUnavailableError('The key store does not hold this key.');
    return this.#scratch.useAndWipe((scratch) => {
      const secret = scratch.subarray(0, sealed.length);
      this.#open(sealed, secret);
      return action(secret);
    });
  }

  discard(handle: KeyHandle): void {
    this.#sealed.delete(handle.id);
  }

  purge(): void {
    this.#purged = true;
    this.#sealed.clear();
    this.#keyEncryptionKey.free();
    this.#scratch.free();
  }

  #seal(secret: Buffer, associatedData: Buffer): SealedKey {
    const nonce = Buffer.alloc(sodium.crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
    sodium.randombytes_buf(nonce);
    const ciphertext = Buffer.alloc(secret.length + sodium.crypto_aead_xchacha20poly1305_ietf_ABYTES);
    this.#keyEncryptionKey.use((key) =>
      sodium.crypto_aead_xchacha20poly1305_ietf_encrypt(ciphertext, secret, associatedData, null, nonce, key),
    );
    return { nonce, ciphertext, associatedData, length: secret.length };
  }

  #open({ ciphertext, associatedData, nonce }: SealedKey, secret: Buffer): void {
    this.#keyEncryptionKey.use((key) => {
      try {
        sodium.crypto_aead_xchacha20poly1305_ietf_decrypt(secret, null, ciphertext, associatedData, nonce, key);
      } catch (error) {
        throw new KeyUnavailableError('A key in memory is damaged and can not be opened.', { cause: error });
      }
    });
  }

  #assertUsable(): void {
    if (this.#purged) throw new KeyUnavailableError('The key store was purged.');
  }
}

function assertSynchronous(result: unknown): void {
  if (result instanceof Promise) throw new TypeError('A key can only be filled in synchronously.');
}
