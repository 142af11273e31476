import sodium from 'sodium-native';
import { LockedBuffer } from './locked-buffer.ts';

/** An Ed25519 key (RFC 8032 §5.1) of the service's own. It stays in locked memory, without access between two signatures, until `destroy`. */
export class Ed25519Key {
  /** 32 bytes. */
  readonly publicKey: Buffer;
  /** libsodium's 64 bytes: seed‖publicKey. */
  readonly #secretKey: LockedBuffer;

  /**
   * @param seed 32 bytes; they are not kept, and wiping them is up to whoever lends them
   * @throws MemoryLockError when memory for the key can't be locked
   */
  constructor(seed: Buffer) {
    const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
    this.#secretKey = new LockedBuffer(sodium.crypto_sign_SECRETKEYBYTES);
    this.#secretKey.use((bytes) => sodium.crypto_sign_seed_keypair(publicKey, bytes, seed));
    this.publicKey = publicKey;
  }

  /** The signature over `message`, 64 bytes. */
  sign(message: Uint8Array): Buffer {
    const signature = Buffer.alloc(sodium.crypto_sign_BYTES);
    this.#secretKey.use((bytes) => sodium.crypto_sign_detached(signature, message, bytes));
    return signature;
  }

  /** Wipes the key. Afterwards `sign` throws. Safe to call twice. */
  destroy(): void {
    this.#secretKey.free();
  }
}
