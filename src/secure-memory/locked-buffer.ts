import sodium from 'sodium-native';
import { acceptFailedLock, describeFailedLock } from './memory-lock.ts';

/** sodium_malloc takes a length of 32 bits and cuts a longer one without a word; far less is ever needed. */
const MAX_LENGTH = 2 ** 30;

/** Memory could not be locked into RAM, so a key could be written to swap. The message says what to do. */
export class MemoryLockError extends Error {
  override readonly name = 'MemoryLockError';

  constructor(cause: unknown) {
    super(
      `${describeFailedLock()} SIGNING_MEMORY_LOCK=warn goes on all the same, and keys can then be written to swap.`,
      {
        cause,
      },
    );
  }
}

/**
 * Bytes that hold a secret: in pages of their own between guard pages, locked into RAM, left out of core dumps, and without any access
 * between two uses (a stray read ends the process instead of leaking).
 */
export class LockedBuffer {
  readonly #bytes: Buffer;
  readonly #locked: boolean;
  #open = false;
  #held = false;
  /** Whether the pages are accessible. */
  #accessible = false;
  #freed = false;

  /**
   * Allocates `length` zero bytes, 1 to 2^30.
   * @throws MemoryLockError when they can't be locked, unless `allowUnlockedMemory` (memory-lock.ts) was called: then they are used unlocked
   */
  constructor(length: number) {
    if (!Number.isInteger(length) || length < 1 || length > MAX_LENGTH) {
      throw new RangeError(`A locked buffer has 1 to ${MAX_LENGTH} bytes.`);
    }
    this.#bytes = sodium.sodium_malloc(length);
    this.#locked = locked(this.#bytes);
    // sodium_malloc hands out garbage, on purpose.
    sodium.sodium_memzero(this.#bytes);
    sodium.sodium_mprotect_noaccess(this.#bytes);
  }

  /** Makes the bytes readable and writable while `action` runs. Not re-entrant; `action` must be synchronous. */
  use<Result>(action: (bytes: Buffer) => Result): Result {
    if (this.#freed) throw new Error('This locked buffer was freed.');
    if (this.#open) throw new Error('This locked buffer is in use already.');
    this.#unshut();
    this.#open = true;
    try {
      return synchronous(action(this.#bytes));
    } finally {
      this.#open = false;
      if (!this.#held) this.#shut();
    }
  }

  /**
   * Keeps the bytes readable and writable from the first use in `work` until it ends: two system calls instead of two for each use, and none when nothing is used. Not re-entrant; `work`
   * must be synchronous.
   */
  hold<Result>(work: () => Result): Result {
    if (this.#freed) throw new Error('This locked buffer was freed.');
    if (this.#open || this.#held) throw new Error('This locked buffer is in use already.');
    this.#held = true;
    try {
      return synchronous(work());
    } finally {
      this.#held = false;
      this.#shut();
    }
  }

  /** The same, and the bytes are zeroed when `action` ends, however it ends. */
  useAndWipe<Result>(action: (bytes: Buffer) => Result): Result {
    return this.use((bytes) => {
      try {
        return action(bytes);
      } finally {
        sodium.sodium_memzero(bytes);
      }
    });
  }

  /** Zeroes and unlocks the bytes and gives them back; during a use, as soon as that ends. Safe to call twice. */
  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    if (!this.#open && !this.#held) {
      this.#release();
      return;
    }
    this.#unshut();
    sodium.sodium_memzero(this.#bytes);
  }

  #unshut(): void {
    if (this.#accessible) return;
    sodium.sodium_mprotect_readwrite(this.#bytes);
    this.#accessible = true;
  }

  #shut(): void {
    if (this.#freed) {
      this.#release();
      return;
    }
    if (this.#accessible) sodium.sodium_mprotect_noaccess(this.#bytes);
    this.#accessible = false;
  }

  #release(): void {
    // sodium_free only detaches: the pages go, and would be zeroed and unlocked, in a later turn of the event loop. This is now.
    sodium.sodium_mprotect_readwrite(this.#bytes);
    sodium.sodium_memzero(this.#bytes);
    if (this.#locked) sodium.sodium_munlock(this.#bytes);
    sodium.sodium_free(this.#bytes);
  }
}

/** Lends `length` locked zero bytes to `action`, then wipes and frees them, however it ends. */
export function withLockedBytes<Result>(length: number, action: (bytes: Buffer) => Result): Result {
  const buffer = new LockedBuffer(length);
  try {
    return buffer.useAndWipe(action);
  } finally {
    buffer.free();
  }
}

function locked(bytes: Buffer): boolean {
  try {
    // sodium_malloc has tried this, and left the pages out of core dumps, but it ignores that it failed; this call does not.
    sodium.sodium_mlock(bytes);
    return true;
  } catch (error) {
    if (acceptFailedLock()) return false;
    sodium.sodium_free(bytes);
    throw new MemoryLockError(error);
  }
}

function synchronous<Result>(result: Result): Result {
  if (typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function') {
    throw new TypeError('A secret can only be used synchronously.');
  }
  return result;
}
