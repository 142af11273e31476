import type { KeyHandle, KeyProtection, SecretBytes } from '../domain/model/account.ts';
import type { Algorithm } from '../domain/model/algorithm.ts';

/** Owner of a key, for stores that label or report keys (an HSM). */
export interface KeyIdentity {
  readonly platformId: string;
  readonly accountId: string;
  /** The account's; a named rule may use a secp256k1 key with another one of secp256k1. */
  readonly algorithm: Algorithm;
}

/**
 * Custody of signing keys while the service runs.
 *
 * An adapter MUST expose a key only during a synchronous callback and make it unreadable
 * afterwards, even when the callback throws; MUST refuse a callback that returns a promise; MUST
 * NOT reveal a key in any other call; MUST throw KeyUnavailableError for an unknown handle. It MAY
 * keep keys encrypted, in hardware, or (a double) in plain memory.
 */
export interface KeyStore {
  /**
   * Stores a new key. `fill` writes exactly `length` bytes into zeroed memory; if it throws,
   * nothing is stored and its error is passed on.
   */
  create(identity: KeyIdentity, length: number, fill: (secret: SecretBytes) => void): KeyHandle;

  /**
   * Passes the key to `action` and returns its result. Not re-entrant: `action` must not call the
   * store.
   */
  use<Result>(handle: KeyHandle, action: (secret: SecretBytes) => Result): Result;

  /**
   * Runs synchronous work on many keys; an adapter may keep what opens them accessible until it
   * ends. Not re-entrant.
   */
  together?<Result>(work: () => Result): Result;

  /** Absent in a store without a report. */
  readonly protection?: KeyProtection;

  /**
   * Renews the protection of all keys, so that a leaked earlier protection is worthless; keys and
   * handles stay usable meanwhile. No-op after `purge`, or with nothing to renew.
   */
  refresh(): Promise<void>;

  /** Removes one key permanently. Unknown handles are ignored. */
  discard(handle: KeyHandle): void;

  /**
   * Removes every key and wipes their protection. `create` and `use` throw KeyUnavailableError
   * afterwards.
   */
  purge(): void;
}
