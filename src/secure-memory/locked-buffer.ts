import sodium from 'sodium-native';

/** Memory could not be locked into RAM, so a key could be written to swap. */
export class MemoryLockError extends Error {
  override readonly name = 'MemoryLockError';

  constructor(cause: unknown) {
    super(
      'Memory for keys can not be locked into RAM. Raise the limit on locked memory: `ulimit -l 65536` in a shell, ' +
        'LimitMEMLOCK=64M in a systemd unit, `--ulimit memlock=67108864` for a container.',
      { cause },
    );
  }
}

/**
 * Bytes that hold a secret: in pages of their own between guard pages, locked into RAM, left out of core dumps, and without any access
 * between two uses (a stray read ends the process instead of leaking).
 */
export class LockedBuffer {
  readonly #bytes: Buffer;
  #open = false;
  #freed = false;

  /** Allocates `length` zero bytes. @throws MemoryLockError when they can't be locked. */
  constructor(length: number) {
    this.#bytes = sodium.sodium_malloc(length);
    try {
      // sodium_malloc ignores a failed mlock; this call does not.
      sodium.sodium_mlock(this.#bytes);
    } catch (error) {
      sodium.sodium_free(this.#bytes);
      throw new MemoryLockError(error);
    }
    // sodium_malloc hands out garbage, on purpose.
    sodium.sodium_memzero(this.#bytes);
    sodium.sodium_mprotect_noaccess(this.#bytes);
  }

  /** Makes the bytes readable and writable while `action` runs. Not re-entrant; `action` must be synchronous. */
  use<Result>(action: (bytes: Buffer) => Result): Result {
    if (this.#freed) throw new Error('This locked buffer was freed.');
    if (this.#open) throw new Error('This locked buffer is in use already.');
    sodium.sodium_mprotect_readwrite(this.#bytes);
    this.#open = true;
    try {
      const result = action(this.#bytes);
      if (isThenable(result)) throw new TypeError('A secret can only be used synchronously.');
      return result;
    } finally {
      this.#open = false;
      if (this.#freed) this.#release();
      else sodium.sodium_mprotect_noaccess(this.#bytes);
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
    if (this.#open) sodium.sodium_memzero(this.#bytes);
    else this.#release();
  }

  #release(): void {
    // sodium_free only detaches: the pages go, and would be zeroed and unlocked, in a later turn of the event loop. This is now.
    sodium.sodium_mprotect_readwrite(this.#bytes);
    sodium.sodium_munlock(this.#bytes);
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

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
