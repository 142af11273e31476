import sodium from 'sodium-native';
import { LockedBuffer } from './locked-buffer.ts';

/** Bytes of the secret from which the key is derived, as in OpenSSH's key shielding: one wrong bit in 16 KiB gives another key. */
const PREKEY_LENGTH = 16 * 1024;
const KEY_LENGTH = sodium.crypto_aead_xchacha20poly1305_ietf_KEYBYTES;
/** How long a derived key is kept for the next use. Deriving takes twice as long as opening a key does, so that a busy vault derives seldom. */
const LIFETIME_MS = 10;
const DOMAIN = Buffer.from('signing-service/key-encryption-key/v1');

/**
 * The key under which the vault's keys lie encrypted in memory.
 *
 * At rest only its 16 KiB random prekey exists. The key itself, BLAKE2b-256 (RFC 7693) of the prekey, keyed by the ASCII text
 * `signing-service/key-encryption-key/v1`, is derived when it is needed and wiped 10 milliseconds later, or when the event loop is
 * free next. Prekey and keys are in
 * locked, guarded memory without access rights between uses. `docs/decisions/0006-vault.md` has the measurements behind this.
 *
 * Keys have generations, counted from 1: `advance` begins a new one, and the one before stays usable until `forgetPrevious`. All memory is taken at the
 * beginning, so nothing but the constructor can fail for want of it.
 */
export class KeyEncryptionKey {
  readonly #prekey = new LockedBuffer(PREKEY_LENGTH);
  readonly #current = new LockedBuffer(KEY_LENGTH);
  readonly #previous = new LockedBuffer(KEY_LENGTH);
  #generation = 1;
  #hasPrevious = false;
  #isDerived = false;
  #freed = false;

  /** @throws MemoryLockError when its memory can't be locked */
  constructor() {
    this.#prekey.use((prekey) => sodium.randombytes_buf(prekey));
  }

  /** The generation under which to encrypt. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether the generation before is not forgotten yet. */
  get hasPrevious(): boolean {
    return this.#hasPrevious;
  }

  /** Lends the 32 bytes of a generation's key to a synchronous callback. @throws Error when that generation is forgotten */
  use<Result>(generation: number, action: (key: Buffer) => Result): Result {
    if (generation === this.#generation) {
      this.#derive();
      return this.#current.use(action);
    }
    if (!this.#hasPrevious || generation !== this.#generation - 1) {
      throw new Error(`Generation ${generation} of the key-encryption key is forgotten.`);
    }
    return this.#previous.use(action);
  }

  /** Keeps the current generation's key accessible from its first use in `work` on, which uses it many times. Not re-entrant; `work` must be synchronous. */
  hold<Result>(work: () => Result): Result {
    return this.#current.hold(work);
  }

  /** Begins a new generation, from a fresh prekey. @throws Error while the generation before is not forgotten */
  advance(): void {
    if (this.#hasPrevious) throw new Error('The previous generation of the key-encryption key is still in use.');
    this.use(this.#generation, (current) => this.#previous.use((previous) => current.copy(previous)));
    this.#wipeDerived();
    this.#prekey.use((prekey) => sodium.randombytes_buf(prekey));
    this.#generation += 1;
    this.#hasPrevious = true;
  }

  /** Wipes the key of the generation before, once nothing is encrypted under it. */
  forgetPrevious(): void {
    this.#hasPrevious = false;
    wipe(this.#previous);
  }

  /** Wipes everything. Afterwards `use` throws. Safe to call twice. */
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
