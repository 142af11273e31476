import type { SecretBytes } from '../domain/model/account.ts';
import type { OperatorError } from '../domain/model/errors.ts';
import type { WrappingSource } from '../domain/model/master-key-rotation.ts';

/** A master key encrypted under a wrapping key. */
export interface WrappedKey {
  readonly source: WrappingSource;
  /** Name of the wrapping key; its form depends on the source. */
  readonly wrappingKey: string;
  /** Of the master key, 16 hex digits. */
  readonly id: string;
  /** In the form of the service, without secrets: 1 to 1024 characters of unpadded base64url. */
  readonly ciphertext: string;
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
   * @param lend passes its 32 bytes to a synchronous callback
   * @throws OperatorError
   */
  wrap(
    key: Omit<WrappedKey, 'ciphertext'>,
    lend: (use: (masterKey: SecretBytes) => void) => void,
  ): Promise<WrappedKey['ciphertext']>;

  /**
   * Decrypts wrapped keys, those of one source together.
   * @param take receives the plaintext in locked memory, of unchecked length, wiped afterwards;
   * returns why it is not the key. Errors other than OperatorError reject the promise
   * @returns for each key why it was not taken; null: it was
   */
  unwrap(
    keys: readonly WrappedKey[],
    take: (masterKey: SecretBytes, key: WrappedKey) => OperatorError | null,
  ): Promise<readonly (OperatorError | null)[]>;
}
