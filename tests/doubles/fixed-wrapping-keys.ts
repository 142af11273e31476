import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { OperatorError } from '../../src/domain/model/errors.ts';
import type { LendSecret, WrappedKey, WrappingKeys, WrappingPlace } from '../../src/ports/wrapping-keys.ts';

/** WrappingKeys in memory: AES-256-GCM under a random key, whatever source and name. */
export class FixedWrappingKeys implements WrappingKeys {
  /** Message of errors; null: available. */
  unavailable: string | null = null;
  /** Decrypted instead of the plaintext; null: the plaintext. */
  decrypted: Buffer | null = null;
  /** Keys that were to be decrypted. */
  unwrapped = 0;
  readonly #key = randomBytes(32);

  async wrap({ id }: WrappingPlace, lend: LendSecret): Promise<Uint8Array> {
    if (this.unavailable !== null) throw new OperatorError(this.unavailable);
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(id));
    const ciphertext = lend((secret) => Buffer.concat([cipher.update(secret), cipher.final()]));
    return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]);
  }

  async unwrap<Result>(
    keys: readonly WrappedKey[],
    use: (masterKey: Uint8Array, key: WrappedKey) => Result,
  ): Promise<readonly (Result | OperatorError)[]> {
    return keys.map((key) => {
      this.unwrapped += 1;
      if (this.unavailable !== null) return new OperatorError(this.unavailable);
      const plaintext = this.decrypted ?? this.#decrypt(key);
      return plaintext === null ? new OperatorError('FixedWrappingKeys: not authentic.') : use(plaintext, key);
    });
  }

  #decrypt({ id, ciphertext }: WrappedKey): Buffer | null {
    const sealed = Buffer.from(ciphertext);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, 12));
    decipher.setAAD(Buffer.from(id)).setAuthTag(sealed.subarray(-16));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
    } catch {
      return null;
    }
  }
}
