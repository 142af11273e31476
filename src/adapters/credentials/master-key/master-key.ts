import sodium from 'sodium-native';
import { LockedBuffer } from '../../vault/locked-buffer.ts';
import { copySecret } from '../../vault/secret-bytes.ts';

/** XChaCha20-Poly1305 key length. */
export const MASTER_KEY_LENGTH = 32;

const ID_DOMAIN = Buffer.from('signing-service/master-key-id/v1');
const ID_BYTES = 8;

/** Seals keys in the credentials file; 32 bytes in locked memory until `destroy`. */
export class MasterKey {
  /**
   * Key id that reveals nothing: first 16 hex digits of BLAKE2b-256 (RFC 7693), keyed with the
   * master key, of the ASCII text `signing-service/master-key-id/v1`.
   */
  readonly id: string;
  readonly #bytes: LockedBuffer;

  private constructor(bytes: LockedBuffer) {
    this.#bytes = bytes;
    this.id = bytes.use(identify);
  }

  /**
   * Creates a key from what `write` puts into 32 zero bytes; none if it throws.
   * @throws MemoryLockError
   */
  static fill(write: (key: Buffer) => void): MasterKey {
    const bytes = new LockedBuffer(MASTER_KEY_LENGTH);
    try {
      bytes.use(write);
      return new MasterKey(bytes);
    } catch (error) {
      bytes.free();
      throw error;
    }
  }

  /** Creates a random key. @throws MemoryLockError */
  static generate(): MasterKey {
    return MasterKey.fill((key) => sodium.randombytes_buf(key));
  }

  /** A copy in its own memory. @throws MemoryLockError */
  copy(): MasterKey {
    return MasterKey.fill((key) => this.use((bytes) => copySecret(bytes, key)));
  }

  /** Passes the 32 bytes to a synchronous callback. Not re-entrant. */
  use<Result>(action: (key: Buffer) => Result): Result {
    return this.#bytes.use(action);
  }

  /** Keeps the bytes accessible during `work`. Not re-entrant, synchronous. */
  keepAccessible<Result>(work: () => Result): Result {
    return this.#bytes.keepAccessible(work);
  }

  /** Wipes the key; `use` throws afterwards. Idempotent. */
  destroy(): void {
    this.#bytes.free();
  }
}

function identify(key: Buffer): string {
  const digest = Buffer.alloc(32);
  sodium.crypto_generichash(digest, ID_DOMAIN, key);
  return digest.toString('hex', 0, ID_BYTES);
}
