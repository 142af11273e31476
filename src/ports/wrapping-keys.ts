import type { SecretBytes } from '../domain/model/account.ts';
import type { OperatorError } from '../domain/model/errors.ts';
import type { WrappingSource } from '../domain/model/master-key-rotation.ts';

/** Passes secret bytes to a synchronous callback. */
export type LendSecret = <Result>(use: (secret: SecretBytes) => Result) => Result;

/** A wrapping key, and the master key that it wraps. */
export interface WrappingPlace {
  readonly source: WrappingSource;
  /** Name of the wrapping key; its form depends on the source. */
  readonly wrappingKey: string;
  /** Of the master key, 16 hex digits. */
  readonly id: string;
}

/** A master key encrypted under a wrapping key. */
export interface WrappedKey extends WrappingPlace {
  /** In the form of the service, without secrets. */
  readonly ciphertext: Uint8Array;
}

/**
 * Keys of services and tokens, which encrypt master keys and never leave there.
 *
 * An adapter MUST authenticate the id together with the key, if the service can; MUST NOT put the
 * master key into a string of this process; MUST explain failures by OperatorError that
 * names the service, the key or setting, and what to do.
 */
export interface WrappingKeys {
  /**
   * Encrypts a master key; returns the ciphertext.
   * @param lend lends its 32 bytes
   * @throws OperatorError
   */
  wrap(place: WrappingPlace, lend: LendSecret): Promise<Uint8Array>;

  /**
   * Decrypts wrapped keys, those of one source together.
   * @param use receives the plaintext in locked memory, of unchecked length, wiped afterwards; its
   * error rejects the promise
   * @returns for each key the callback's result, or why it was not called
   */
  unwrap<Result>(
    keys: readonly WrappedKey[],
    use: (masterKey: SecretBytes, key: WrappedKey) => Result,
  ): Promise<readonly (Result | OperatorError)[]>;
}
