import type { SecretBytes } from '../domain/model/account.ts';

/** Passes secret bytes to a synchronous callback. */
export type LendSecret = <Result>(use: (secret: SecretBytes) => Result) => Result;

/**
 * A key that encrypts master keys and never leaves its service or token.
 *
 * An adapter MUST authenticate the id together with the key, if the service can; MUST NOT put the
 * master key into a string; MUST reject with MasterKeyUnavailableError that names the service, the
 * key or setting, and what to do.
 */
export interface WrappingKey {
  /**
   * Encrypts a master key.
   * @param masterKeyId 16 hex digits
   * @param lend lends its 32 bytes
   * @returns the ciphertext in the form of the service, without secrets
   */
  wrap(masterKeyId: string, lend: LendSecret): Promise<Uint8Array>;

  /**
   * Decrypts what `wrap` returned for the same id.
   * @param use receives the plaintext in locked memory, of unchecked length, wiped afterwards
   */
  unwrap<Result>(masterKeyId: string, ciphertext: Uint8Array, use: (masterKey: SecretBytes) => Result): Promise<Result>;
}
