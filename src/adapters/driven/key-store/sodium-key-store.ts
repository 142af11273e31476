import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { KeyUnavailableError } from '../../../domain/model/errors.ts';
import type { KeyHandle } from '../../../domain/model/key-handle.ts';
import type { KeyProtection } from '../../../domain/model/key-protection.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { KeyIdentity, KeyStore } from '../../../ports/key-store.ts';
import { KeyEncryptionKey } from '../../../secure-memory/key-encryption-key.ts';
import { LockedBuffer } from '../../../secure-memory/locked-buffer.ts';
import { openSecret, type SealedSecret, sealSecret, secretLength } from '../../../secure-memory/sealed-secret.ts';

/** Longest key that the vault takes, bytes: the size of the scratch memory in which keys are opened. */
const MAX_KEY_LENGTH = 1024;

/** Keys that a refresh encrypts anew before requests get a turn: a third of a millisecond or so. */
const KEYS_PER_TURN = 16;

/** A key as the vault keeps it. */
interface VaultEntry extends KeyIdentity {
  /** Of the key-encryption key under which it is sealed. */
  readonly generation: number;
  readonly sealed: SealedSecret;
}

/**
 * KeyStore over libsodium. Keys lie in ordinary memory as ciphertext under a key-encryption key that exists only in locked, guarded memory of
 * this process, and there only while it is in use. A key is opened into one locked scratch buffer for the time of a synchronous
 * callback, and the scratch is zeroed before anything else can run. No buffer has access rights between uses.
 */
export class SodiumKeyStore implements KeyStore {
  readonly #entries = new Map<string, VaultEntry>();
  readonly #keyEncryptionKey: KeyEncryptionKey;
  readonly #scratch: LockedBuffer;
  #refreshing: Promise<void> | null = null;
  #purged = false;

  /** @throws MemoryLockError when memory for keys can't be locked. */
  constructor() {
    this.#keyEncryptionKey = new KeyEncryptionKey();
    this.#scratch = new LockedBuffer(MAX_KEY_LENGTH);
  }

  create(identity: KeyIdentity, length: number, fill: (secret: SecretBytes) => void): KeyHandle {
    this.#assertUsable();
    if (!Number.isInteger(length) || length < 1 || length > MAX_KEY_LENGTH) {
      throw new RangeError(`A key has 1 to ${MAX_KEY_LENGTH} bytes.`);
    }
    const id = randomUUID();
    const entry = this.#scratch.useAndWipe((scratch) => {
      const secret = scratch.subarray(0, length);
      assertSynchronous(fill(secret));
      return this.#seal(id, identity, secret);
    });
    this.#entries.set(id, entry);
    return { id };
  }

  use<Result>({ id }: KeyHandle, action: (secret: SecretBytes) => Result): Result {
    this.#assertUsable();
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new KeyUnavailableError('The key store does not hold this key.');
    return this.#withOpened(id, entry, action);
  }

  together<Result>(work: () => Result): Result {
    this.#assertUsable();
    return this.#scratch.hold(() => this.#keyEncryptionKey.hold(work));
  }

  get protection(): KeyProtection {
    return { generation: this.#keyEncryptionKey.generation, keys: this.#entries.size };
  }

  discard({ id }: KeyHandle): void {
    this.#entries.get(id)?.sealed.fill(0);
    this.#entries.delete(id);
  }

  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  purge(): void {
    this.#purged = true;
    this.#entries.clear();
    this.#keyEncryptionKey.free();
    this.#scratch.free();
  }

  async #refresh(): Promise<void> {
    if (this.#purged) return;
    // One that an error ended is gone on with.
    if (!this.#keyEncryptionKey.hasPrevious) this.#keyEncryptionKey.advance();
    let untilNextTurn = KEYS_PER_TURN;
    for (const id of this.#entries.keys()) {
      this.#sealAnew(id);
      untilNextTurn -= 1;
      if (untilNextTurn > 0) continue;
      await nextTurn();
      untilNextTurn = KEYS_PER_TURN;
      if (this.#purged) return;
    }
    this.#keyEncryptionKey.forgetPrevious();
  }

  #sealAnew(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.generation === this.#keyEncryptionKey.generation) return;
    try {
      const sealedAnew = this.#withOpened(id, entry, (secret) => this.#seal(id, entry, secret));
      this.#entries.set(id, sealedAnew);
      entry.sealed.fill(0);
    } catch (error) {
      // A damaged key opens under no key: whoever uses it is told so.
      if (!(error instanceof KeyUnavailableError)) throw error;
    }
  }

  #seal(id: string, identity: KeyIdentity, secret: Buffer): VaultEntry {
    const { generation } = this.#keyEncryptionKey;
    const { platformId, accountId, algorithm } = identity;
    const context = keyContext(id, identity);
    const sealed = this.#keyEncryptionKey.use(generation, (key) => sealSecret(secret, context, key));
    return { platformId, accountId, algorithm, generation, sealed };
  }

  #withOpened<Result>(id: string, entry: VaultEntry, action: (secret: Buffer) => Result) {
    const { generation, sealed } = entry;
    const context = keyContext(id, entry);
    return this.#scratch.useAndWipe((scratch) => {
      const secret = scratch.subarray(0, secretLength(sealed));
      try {
        this.#keyEncryptionKey.use(generation, (key) => openSecret(sealed, context, key, secret));
      } catch (error) {
        throw new KeyUnavailableError('A key in memory is damaged and can not be opened.', { cause: error });
      }
      return action(secret);
    });
  }

  #assertUsable(): void {
    if (this.#purged) throw new KeyUnavailableError('The key store was purged.');
  }
}

/**
 * Associated data that a key in the vault is sealed with: its place in the vault and the account
 * that it belongs to. UTF-8 of the JSON text `[id,platformId,accountId,algorithm]`; a key that is
 * put in another's place does not open.
 */
export function keyContext(id: string, { platformId, accountId, algorithm }: KeyIdentity): Buffer {
  return Buffer.from(JSON.stringify([id, platformId, accountId, algorithm]));
}

function assertSynchronous(result: unknown): void {
  if (result instanceof Promise) throw new TypeError('A key can only be filled in synchronously.');
}
