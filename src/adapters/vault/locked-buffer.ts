import { readFileSync } from 'node:fs';
import sodium from 'sodium-native';
import { OperatorError } from '../../domain/model/errors.ts';

/** `unlocked` once any lock has failed, permanently: secrets may be in swap. */
type MemoryLockState = 'locked' | 'unlocked';

const LIMIT_ADVICE =
  'Raise the limit of locked memory: `ulimit -l 65536` in a shell (up to memlock in /etc/security/limits.conf), ' +
  'LimitMEMLOCK=64M in a systemd unit, or `--ulimit memlock=67108864` for a container.';

let onFirstUnlocked: ((warning: string) => void) | undefined;
let state: MemoryLockState = 'locked';

/**
 * Accepts memory that cannot be locked into RAM and may be swapped; other protections remain.
 * @param onFirstFailure called synchronously, once per process, with problem and remedy
 */
export function allowUnlockedMemory(onFirstFailure: (warning: string) => void): void {
  onFirstUnlocked = onFirstFailure;
}

/** Whether all memory for secrets was locked so far. */
export function getMemoryLockState(): MemoryLockState {
  return state;
}

/** Records a failed lock if {@link allowUnlockedMemory} permits it; returns whether it does. */
function acceptFailedLock(): boolean {
  if (onFirstUnlocked === undefined) return false;
  if (state === 'unlocked') return true;
  state = 'unlocked';
  onFirstUnlocked(
    `${describeFailedLock()} Continuing because of SIGNING_MEMORY_LOCK=warn: keys can be written to swap.`,
  );
  return true;
}

function describeFailedLock(): string {
  const limit = readLockLimit();
  const reason = limit === undefined ? '' : ` (limit: ${limit})`;
  return `Memory for keys cannot be locked${reason}. ${LIMIT_ADVICE}`;
}

/** The soft RLIMIT_MEMLOCK from /proc/self/limits (proc_pid_limits(5)). */
function readLockLimit(): string | undefined {
  try {
    const soft = /^Max locked memory +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined || soft === 'unlimited' ? soft : `${soft} bytes`;
  } catch {
    return undefined;
  }
}

/** sodium_malloc silently truncates lengths to 32 bits. */
const MAX_LENGTH = 2 ** 30;

/** Memory could not be locked into RAM. The message names the remedy. */
export class MemoryLockError extends OperatorError {
  override readonly name = 'MemoryLockError';

  constructor(cause: unknown) {
    super(`${describeFailedLock()} To start anyway, set SIGNING_MEMORY_LOCK=warn: keys can then be written to swap.`, {
      cause,
    });
  }
}

/**
 * Holds a secret in guarded pages, locked into RAM, excluded from core dumps and inaccessible
 * between uses, so that a stray read crashes instead of leaking.
 */
export class LockedBuffer {
  readonly #bytes: Buffer;
  readonly #locked: boolean;
  #open = false;
  #holding = false;
  #accessible = false;
  #freed = false;

  /**
   * Allocates `length` zero bytes, 1 to 2^30.
   * @throws MemoryLockError if they cannot be locked, unless {@link allowUnlockedMemory} was called
   */
  constructor(length: number) {
    if (!Number.isInteger(length) || length < 1 || length > MAX_LENGTH) {
      throw new RangeError(`A locked buffer must have 1 to ${MAX_LENGTH} bytes.`);
    }
    this.#bytes = sodium.sodium_malloc(length);
    this.#locked = tryLock(this.#bytes);
    // sodium_malloc fills with garbage.
    sodium.sodium_memzero(this.#bytes);
    sodium.sodium_mprotect_noaccess(this.#bytes);
  }

  /** Makes the bytes accessible during `action`. Not re-entrant, synchronous. */
  use<Result>(action: (bytes: Buffer) => Result): Result {
    if (this.#freed) throw new Error('This locked buffer was freed.');
    if (this.#open) throw new Error('This locked buffer is already in use.');
    this.#allowAccess();
    this.#open = true;
    try {
      return assertSynchronous(action(this.#bytes));
    } finally {
      this.#open = false;
      if (!this.#holding) this.#denyAccess();
    }
  }

  /**
   * Keeps the bytes accessible during `work`, from the first use, which saves system calls. Not
   * re-entrant, synchronous.
   */
  keepAccessible<Result>(work: () => Result): Result {
    if (this.#freed) throw new Error('This locked buffer was freed.');
    if (this.#open || this.#holding) throw new Error('This locked buffer is already in use.');
    this.#holding = true;
    try {
      return assertSynchronous(work());
    } finally {
      this.#holding = false;
      this.#denyAccess();
    }
  }

  /** Also zeroes the bytes afterwards. */
  useAndWipe<Result>(action: (bytes: Buffer) => Result): Result {
    return this.use((bytes) => {
      try {
        return action(bytes);
      } finally {
        sodium.sodium_memzero(bytes);
      }
    });
  }

  /** Zeroes, unlocks and frees the bytes; during a use, when that ends. Idempotent. */
  free(): void {
    if (this.#freed) return;
    this.#freed = true;
    if (!this.#open && !this.#holding) {
      this.#release();
      return;
    }
    this.#allowAccess();
    sodium.sodium_memzero(this.#bytes);
  }

  #allowAccess(): void {
    if (this.#accessible) return;
    sodium.sodium_mprotect_readwrite(this.#bytes);
    this.#accessible = true;
  }

  #denyAccess(): void {
    if (this.#freed) {
      this.#release();
      return;
    }
    if (this.#accessible) sodium.sodium_mprotect_noaccess(this.#bytes);
    this.#accessible = false;
  }

  #release(): void {
    // sodium_free unmaps in a later event-loop tick; wipe now.
    sodium.sodium_mprotect_readwrite(this.#bytes);
    sodium.sodium_memzero(this.#bytes);
    if (this.#locked) sodium.sodium_munlock(this.#bytes);
    sodium.sodium_free(this.#bytes);
  }
}

/** Passes `length` locked zero bytes to `action`, then wipes and frees them, also on errors. */
export function withLockedBytes<Result>(length: number, action: (bytes: Buffer) => Result): Result {
  const buffer = new LockedBuffer(length);
  try {
    return buffer.useAndWipe(action);
  } finally {
    buffer.free();
  }
}

function tryLock(bytes: Buffer): boolean {
  try {
    // sodium_malloc tries to lock and excludes the pages from dumps, but ignores failures.
    sodium.sodium_mlock(bytes);
    return true;
  } catch (error) {
    if (acceptFailedLock()) return false;
    sodium.sodium_free(bytes);
    throw new MemoryLockError(error);
  }
}

function assertSynchronous<Result>(result: Result): Result {
  if (typeof result === 'object' && result !== null && 'then' in result && typeof result.then === 'function') {
    throw new TypeError('A secret can only be used synchronously.');
  }
  return result;
}
