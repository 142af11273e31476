import { randomUUID } from 'node:crypto';
import { setImmediate as yieldNow } from 'node:timers/promises';
import type { KeyHandle, KeyProtection } from '../../domain/model/account.ts';
import type { Algorithm } from '../../domain/model/algorithm.ts';
import { KeyUnavailableError } from '../../domain/model/errors.ts';
import type { KeyIdentity, KeyStore } from '../../ports/key-store.ts';
import { KeyEncryptionKey } from './key-encryption-key.ts';
import { LockedBuffer } from './locked-buffer.ts';
import { MAX_SECRET_LENGTH, openSecret, type SealedSecret, sealSecret, secretLength } from './secret-bytes.ts';

/** Keys that a refresh re-encrypts before yielding, about a third of a millisecond. */
const KEYS_PER_TICK = 16;

/** Owner of a key; algorithm null: the service itself, whose keys `protection` does not count. */
interface KeyOwner extends Omit<KeyIdentity, 'algorithm'> {
  readonly algorithm: Algorithm | null;
}

interface VaultEntry extends KeyOwner {
  /** Generation of the key-encryption key that seals it. */
  readonly generation: number;
  readonly sealed: SealedSecret;
}

/**
 * KeyStore over libsodium. Keys are ciphertext in ordinary memory; one at a time is opened in a
 * locked scratch buffer for a synchronous callback, then wiped.
 */
export class SodiumKeyStore implements KeyStore {
  readonly #entries = new Map<string, VaultEntry>();
  readonly #keyEncryptionKey: KeyEncryptionKey;
  readonly #scratch: LockedBuffer;
  /** Keys of the service itself. */
  #ownKeys = 0;
  #refreshing: Promise<void> | null = null;
  #purged = false;

  /** @throws MemoryLockError */
  constructor() {
    this.#keyEncryptionKey = new KeyEncryptionKey();
    this.#scratch = new LockedBuffer(MAX_SECRET_LENGTH);
  }

  create(owner: KeyOwner, length: number, fill: (secret: Buffer) => void): KeyHandle {
    this.#assertUsable();
    if (!Number.isInteger(length) || length < 1 || length > MAX_SECRET_LENGTH) {
      throw new RangeError(`A key must have 1 to ${MAX_SECRET_LENGTH} bytes.`);
    }
    const id = randomUUID();
    const entry = this.#scratch.useAndWipe((scratch) => {
      const secret = scratch.subarray(0, length);
      assertSynchronous(fill(secret));
      return this.#seal(id, owner, secret);
    });
    this.#entries.set(id, entry);
    if (owner.algorithm === null) this.#ownKeys += 1;
    return { id };
  }

  use<Result>({ id }: KeyHandle, action: (secret: Buffer) => Result): Result {
    this.#assertUsable();
    const entry = this.#entries.get(id);
    if (entry === undefined) throw new KeyUnavailableError('The key store does not have this key.');
    return this.#withOpened(id, entry, action);
  }

  together<Result>(work: () => Result): Result {
    this.#assertUsable();
    return this.#scratch.keepAccessible(() => this.#keyEncryptionKey.keepAccessible(work));
  }

  get protection(): KeyProtection {
    return { generation: this.#keyEncryptionKey.generation, keys: this.#entries.size - this.#ownKeys };
  }

  discard({ id }: KeyHandle): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    entry.sealed.fill(0);
    this.#entries.delete(id);
    if (entry.algorithm === null) this.#ownKeys -= 1;
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
    this.#ownKeys = 0;
    this.#keyEncryptionKey.free();
    this.#scratch.free();
  }

  async #refresh(): Promise<void> {
    if (this.#purged) return;
    // A refresh that failed is continued.
    if (!this.#keyEncryptionKey.hasPrevious) this.#keyEncryptionKey.advance();
    let remaining = KEYS_PER_TICK;
    for (const id of this.#entries.keys()) {
      this.#reseal(id);
      remaining -= 1;
      if (remaining > 0) continue;
      await yieldNow();
      remaining = KEYS_PER_TICK;
      if (this.#purged) return;
    }
    this.#keyEncryptionKey.forgetPrevious();
  }

  #reseal(id: string): void {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.generation === this.#keyEncryptionKey.generation) return;
    try {
      const resealed = this.#withOpened(id, entry, (secret) => this.#seal(id, entry, secret));
      this.#entries.set(id, resealed);
      entry.sealed.fill(0);
    } catch (error) {
      // A damaged key fails when it is used.
      if (!(error instanceof KeyUnavailableError)) throw error;
    }
  }

  #seal(id: string, owner: KeyOwner, secret: Buffer): VaultEntry {
    const { generation } = this.#keyEncryptionKey;
    const { platformId, accountId, algorithm } = owner;
    const context = keyContext(id, owner);
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
        throw new KeyUnavailableError('A key in memory is damaged and cannot be opened.', { cause: error });
      }
      return action(secret);
    });
  }

  #assertUsable(): void {
    if (this.#purged) throw new KeyUnavailableError('The key store was purged.');
  }
}

/**
 * Associated data of a sealed key: UTF-8 of the JSON text `[id,platformId,accountId,algorithm]`, so
 * that a key moved to another entry does not open.
 */
export function keyContext(id: string, { platformId, accountId, algorithm }: KeyOwner): Buffer {
  return Buffer.from(JSON.stringify([id, platformId, accountId, algorithm]));
}

function assertSynchronous(result: unknown): void {
  if (result instanceof Promise) throw new TypeError('A key must be filled in synchronously.');
}
