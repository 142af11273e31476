import sodium from 'sodium-native';
import { LockedBuffer } from '../../../../secure-memory/locked-buffer.ts';
import { withAuditSeed } from './audit-key-file.ts';

/**
 * The Ed25519 key (RFC 8032 §5.1) with which the service signs checkpoints of its audit file, and nothing else. It stays in locked memory, without access
 * between two signatures, from `open` until `destroy`.
 */
export class AuditKey {
  /** 32 bytes. */
  readonly publicKey: Buffer;
  /** libsodium's 64 bytes: seed‖publicKey. */
  readonly #secretKey: LockedBuffer;

  private constructor(publicKey: Buffer, secretKey: LockedBuffer) {
    this.publicKey = publicKey;
    this.#secretKey = secretKey;
  }

  /**
   * Reads the key from its file.
   * @throws AuditKeyError that names the file, SIGNING_AUDIT_KEY_FILE and what to do
   * @throws MemoryLockError when memory for it can't be locked
   */
  static open(file: string): AuditKey {
    return withAuditSeed(file, (seed) => AuditKey.#ofSeed(seed));
  }

  static #ofSeed(seed: Buffer): AuditKey {
    const publicKey = Buffer.alloc(sodium.crypto_sign_PUBLICKEYBYTES);
    const secretKey = new LockedBuffer(sodium.crypto_sign_SECRETKEYBYTES);
    secretKey.use((bytes) => sodium.crypto_sign_seed_keypair(publicKey, bytes, seed));
    return new AuditKey(publicKey, secretKey);
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
