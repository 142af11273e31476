import type { SecretBytes } from '../domain/model/account.ts';

/**
 * Where the master key comes from: a file, a passphrase, a key management service or a token.
 *
 * An adapter MUST pass exactly 32 bytes in memory that it wipes after the callback, also if that
 * throws; MUST refuse a callback that returns a promise; MUST reject with MasterKeyUnavailableError
 * or KeyFileError, and never call back, if the key is not the one that its place names.
 */
export interface MasterKeySource {
  /**
   * Obtains the master key, which can take seconds. Called at the start, and at a reload that needs
   * a key that is not open yet.
   */
  open<Result>(use: (masterKey: SecretBytes) => Result): Promise<Result>;
}

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
