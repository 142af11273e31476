import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SecretBytes } from '../../src/domain/model/account.ts';
import { OperatorError } from '../../src/domain/model/errors.ts';
import type { WrappedKey, WrappingKeys } from '../../src/ports/wrapping-keys.ts';

/** WrappingKeys in memory: AES-256-GCM under a random key, whatever source and name. */
export class FixedWrappingKeys implements WrappingKeys {
  /** Message of errors; null: available. */
  unavailable: string | null = null;
  /** Decrypted instead of the plaintext; null: the plaintext. */
  decrypted: Buffer | null = null;
  /** Keys that were to be decrypted. */
  unwrapped = 0;
  readonly #key = randomBytes(32);

  async wrap({ id }: Pick<WrappedKey, 'id'>, lend: (use: (masterKey: SecretBytes) => void) => void): Promise<string> {
    if (this.unavailable !== null) throw new OperatorError(this.unavailable);
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(id));
    const sealed = [nonce];
    lend((masterKey) => sealed.push(cipher.update(masterKey)));
    return Buffer.concat([...sealed, cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }

  async unwrap(
    keys: readonly WrappedKey[],
    take: (masterKey: SecretBytes, key: WrappedKey) => OperatorError | null,
  ): Promise<readonly (OperatorError | null)[]> {
    return keys.map((key) => {
      this.unwrapped += 1;
      if (this.unavailable !== null) return new OperatorError(this.unavailable);
      const plaintext = this.decrypted ?? this.#decrypt(key);
      return plaintext === null ? new OperatorError('FixedWrappingKeys: not authentic.') : take(plaintext, key);
    });
  }

  #decrypt({ id, ciphertext }: WrappedKey): Buffer | null {
    const sealed = Buffer.from(ciphertext, 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, 12));
    decipher.setAAD(Buffer.from(id)).setAuthTag(sealed.subarray(-16));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
    } catch {
      return null;
    }
  }
}
