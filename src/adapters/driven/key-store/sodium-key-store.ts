import { randomUUID } from 'node:crypto';
import sodium from 'sodium-native';
import { KeyUnavailableError } from '../../../domain/model/errors.ts';
import type { KeyHandle } from '../../../domain/model/key-handle.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { KeyIdentity, KeyStore } from '../../../ports/key-store.ts';
import { LockedBuffer } from '../../../secure-memory/locked-buffer.ts';
import { openSecret, type SealedSecret, sealSecret, secretLength } from './sealed-secret.ts';

/** Longest key that the vault takes, bytes: the size of the scratch memory in which keys are opened. */
const MAX_KEY_LENGTH = 1024;

/** A key as the vault keeps it. */
interface VaultEntry {
  readonly identity: KeyIdentity;
  readonly sealed: SealedSecret;
}

/**
 * KeyStore over libsodium. Keys lie in ordinary memory as ciphertext under a random key-encryption key that exists only in
 * locked, guarded memory of this process. A key is opened into one locked scratch buffer for the time of a synchronous callback,
 * and the scratch is zeroed before anything else can run. Both buffers have no access rights between uses.
 */
export class SodiumKeyStore implements KeyStore {
  readonly #entries = new Map<string, VaultEntry>();
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
    const context = contextOf(id, identity);
    const sealed = this.#scratch.useAndWipe((scratch) => {
      const secret = scratch.subarray(0, length);
      assertSynchronous(fill(secret));
      return this.#keyEncryptionKey.use((key) => sealSecret(secret, context, key));
    });
    this.#entries.set(id, { identity, sealed });
    return { id };
  }

  use<Result>({ id }: KeyHandle, action: (secret: SecretBytes) => Result): Result {
    this.#assertUsable();
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new KeyUnavailableError('The key store does not hold this key.');
    const context = contextOf(id, entry.identity);
    return this.#scratch.useAndWipe((scratch) => {
      const secret = scratch.subarray(0, secretLength(entry.sealed));
      this.#open(entry.sealed, context, secret);
      return action(secret);
    });
  }

  discard({ id }: KeyHandle): void {
    this.#entries.delete(id);
  }

  purge(): void {
    this.#purged = true;
    this.#entries.clear();
    this.#keyEncryptionKey.free();
    this.#scratch.free();
  }

  #open(sealed: SealedSecret, context: Buffer, secret: Buffer): void {
    try {
      this.#keyEncryptionKey.use((key) => openSecret(sealed, context, key, secret));
    } catch (error) {
      throw new KeyUnavailableError('A key in memory is damaged and can not be opened.', { cause: error });
    }
  }

  #assertUsable(): void {
    if (this.#purged) throw new KeyUnavailableError('The key store was purged.');
  }
}

/** What a key is sealed for: its place in the vault and the account that it belongs to. */
function contextOf(id: string, { platformId, accountId, algorithm }: KeyIdentity): Buffer {
  return Buffer.from(JSON.stringify([id, platformId, accountId, algorithm]));
}

function assertSynchronous(result: unknown): void {
  if (result instanceof Promise) throw new TypeError('A key can only be filled in synchronously.');
}
