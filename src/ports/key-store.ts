import type { Algorithm } from '../domain/model/algorithm.ts';
import type { KeyHandle } from '../domain/model/key-handle.ts';
import type { KeyProtection } from '../domain/model/key-protection.ts';
import type { SecretBytes } from '../domain/model/secret-bytes.ts';

/** Whose key it is, for stores that label their keys (an HSM) or tell of their use. */
export interface KeyIdentity {
  readonly platformId: string;
  readonly accountId: string;
  readonly algorithm: Algorithm;
}

/**
 * Custody of signing keys while the service runs.
 *
 * An adapter MUST lend a key only for the duration of a synchronous callback and make it unreadable afterwards, also when the
 * callback throws; MUST refuse a callback that returns a promise; MUST NOT let any other call reveal a key;
 * MUST throw KeyUnavailableError for a handle that it does not hold. It MAY keep keys encrypted, in hardware, or (a double) in plain memory.
 */
export interface KeyStore {
  /**
   * Takes a new key in. `fill` writes exactly `length` bytes into the memory it is given (zeroed before). When `fill` throws, nothing is kept
   * and its error is passed on.
   */
  create(identity: KeyIdentity, length: number, fill: (secret: SecretBytes) => void): KeyHandle;

  /** Lends the key to `action` and returns what it returns. Not re-entrant: `action` must not call the store. */
  use<Result>(handle: KeyHandle, action: (secret: SecretBytes) => Result): Result;

  /** Runs synchronous work that takes in or uses many keys, for an adapter that saves time by keeping what each use needs accessible until the work ends. Not re-entrant. */
  together?<Result>(work: () => Result): Result;

  /** How keys are held; absent in a store that has nothing to tell of it. */
  readonly protection?: KeyProtection;

  /**
   * Protects every key anew, so that what leaked of an earlier protection is worth nothing; keys and handles stay as they are, and can be used meanwhile. A store
   * that has nothing to renew does nothing. After `purge` it does nothing either.
   */
  refresh(): Promise<void>;

  /** Forgets one key for good. Unknown handles are ignored. */
  discard(handle: KeyHandle): void;

  /** Forgets every key and wipes what protected them. Afterwards `create` and `use` throw KeyUnavailableError. */
  purge(): void;
}
