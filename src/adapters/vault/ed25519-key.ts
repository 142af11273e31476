import sodium from 'sodium-native';
import { LockedBuffer } from './locked-buffer.ts';

/**
 * The service's own Ed25519 key (RFC 8032 §5.1), in inaccessible locked memory between signatures.
 */
export class Ed25519Key {
  /** 32 bytes. */
  readonly publicKey: Buffer;
  /** libsodium's 64 bytes: seed‖publicKey. */
  readonly #secretKey: LockedBuffer;

  /**
   * @param seed 32 bytes, copied; the caller wipes them
   * @throws MemoryLockError
   */
  constructor(seed: Buffer) {
    const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
    this.#secretKey = new LockedBuffer(sodium.crypto_sign_SECRETKEYBYTES);
    this.#secretKey.use((bytes) => sodium.crypto_sign_seed_keypair(publicKey, bytes, seed));
    this.publicKey = publicKey;
  }

  /** The 64-byte signature of `message`. */
  sign(message: Uint8Array): Buffer {
    const signature = Buffer.alloc(sodium.crypto_sign_BYTES);
    this.#secretKey.use((bytes) => sodium.crypto_sign_detached(signature, message, bytes));
    return signature;
  }

  /** Wipes the key; `sign` throws afterwards. Idempotent. */
  destroy(): void {
    this.#secretKey.free();
  }
}
