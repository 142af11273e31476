import sodium from 'sodium-native';
import { LockedBuffer } from '../../../../secure-memory/locked-buffer.ts';

/** Bytes of a master key (XChaCha20-Poly1305). */
export const MASTER_KEY_LENGTH = 32;

const ID_DOMAIN = Buffer.from('signing-service/master-key-id/v1');
const ID_BYTES = 8;

/** A key that seals the keys in the credentials file, 32 bytes in locked memory from its making until `destroy`. */
export class MasterKey {
  /**
   * Names the key and reveals nothing of it: the first 16 lower-case hex digits of BLAKE2b-256 (RFC 7693), keyed by the master key, over the
   * ASCII text `signing-service/master-key-id/v1`.
   */
  readonly id: string;
  readonly #bytes: LockedBuffer;

  private constructor(bytes: LockedBuffer) {
    this.#bytes = bytes;
    this.id = bytes.use(identify);
  }

  /**
   * Makes a key of what `write` puts into 32 zero bytes of locked memory; what `write` throws is passed on, and no key is left then.
   * @throws MemoryLockError when memory for it can't be locked
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

  /** Makes a new random key. @throws MemoryLockError when memory for it can't be locked */
  static generate(): MasterKey {
    return MasterKey.fill((key) => sodium.randombytes_buf(key));
  }

  /** The same key in memory of its own. @throws MemoryLockError when that can't be locked */
  copy(): MasterKey {
    return MasterKey.fill((key) => this.use((bytes) => bytes.copy(key)));
  }

  /** Lends the 32 bytes to a synchronous callback. Not re-entrant. */
  use<Result>(action: (key: Buffer) => Result): Result {
    return this.#bytes.use(action);
  }

  /** Keeps the bytes accessible while `work` uses them many times. Not re-entrant; `work` must be synchronous. */
  hold<Result>(work: () => Result): Result {
    return this.#bytes.hold(work);
  }

  /** Wipes the key. Afterwards `use` throws. Safe to call twice. */
  destroy(): void {
    this.#bytes.free();
  }
}

function identify(key: Buffer): string {
  const digest = Buffer.alloc(32);
  sodium.crypto_generichash(digest, ID_DOMAIN, key);
  return digest.toString('hex', 0, ID_BYTES);
}
