import sodium from 'sodium-native';
import { LockedBuffer } from './locked-buffer.ts';
import { copySecret } from './secret-bytes.ts';

/** Bytes of the random prekey. As in OpenSSH's key shielding, one wrong bit yields another key. */
const PREKEY_LENGTH = 16 * 1024;
const KEY_LENGTH = sodium.crypto_aead_xchacha20poly1305_ietf_KEYBYTES;
/** How long a derived key is cached: deriving costs twice as much as opening a key. */
const LIFETIME_MS = 10;
const DOMAIN = Buffer.from('signing-service/key-encryption-key/v1');

/**
 * Derives the key that encrypts the vault's keys in memory.
 *
 * At rest only a random 16 KiB prekey exists. The key is BLAKE2b-256 (RFC 7693) of the prekey,
 * keyed with the ASCII text `signing-service/key-encryption-key/v1`, derived on demand and wiped
 * about 10 ms later (docs/decisions/0006-keys-in-memory.md). Both are in locked memory.
 *
 * Generations count from 1: `advance` starts a new one; the previous stays usable until
 * `forgetPrevious`.
 */
export class KeyEncryptionKey {
  readonly #prekey = new LockedBuffer(PREKEY_LENGTH);
  readonly #current = new LockedBuffer(KEY_LENGTH);
  readonly #previous = new LockedBuffer(KEY_LENGTH);
  #generation = 1;
  #hasPrevious = false;
  #isDerived = false;
  #freed = false;

  /** @throws MemoryLockError */
  constructor() {
    this.#prekey.use((prekey) => sodium.randombytes_buf(prekey));
  }

  get generation(): number {
    return this.#generation;
  }

  get hasPrevious(): boolean {
    return this.#hasPrevious;
  }

  /**
   * Passes a generation's 32-byte key to a synchronous callback.
   * @throws Error if that generation no longer exists
   */
  use<Result>(generation: number, action: (key: Buffer) => Result): Result {
    if (generation === this.#generation) {
      this.#derive();
      return this.#current.use(action);
    }
    if (!this.#hasPrevious || generation !== this.#generation - 1) {
      throw new Error(`Generation ${generation} of the key-encryption key no longer exists.`);
    }
    return this.#previous.use(action);
  }

  /**
   * Keeps the current key accessible during `work`, from its first use. Not re-entrant,
   * synchronous.
   */
  keepAccessible<Result>(work: () => Result): Result {
    return this.#current.keepAccessible(work);
  }

  /**
   * Starts a new generation from a fresh prekey.
   * @throws Error while the previous generation exists
   */
  advance(): void {
    if (this.#hasPrevious) throw new Error('The previous generation of the key-encryption key is still in use.');
    this.use(this.#generation, (current) => this.#previous.use((previous) => copySecret(current, previous)));
    this.#wipeDerived();
    this.#prekey.use((prekey) => sodium.randombytes_buf(prekey));
    this.#generation += 1;
    this.#hasPrevious = true;
  }

  /** Wipes the previous generation's key, once nothing is encrypted under it. */
  forgetPrevious(): void {
    this.#hasPrevious = false;
    wipe(this.#previous);
  }

  /** Wipes everything; `use` throws afterwards. Idempotent. */
  free(): void {
    this.#freed = true;
    for (const buffer of [this.#prekey, this.#current, this.#previous]) buffer.free();
  }

  #derive(): void {
    if (this.#isDerived) return;
    this.#prekey.use((prekey) => this.#current.use((key) => sodium.crypto_generichash(key, prekey, DOMAIN)));
    this.#isDerived = true;
    setTimeout(() => this.#wipeDerived(), LIFETIME_MS).unref();
  }

  #wipeDerived(): void {
    if (this.#freed || !this.#isDerived) return;
    this.#isDerived = false;
    wipe(this.#current);
  }
}

function wipe(buffer: LockedBuffer): void {
  buffer.useAndWipe(() => undefined);
}
