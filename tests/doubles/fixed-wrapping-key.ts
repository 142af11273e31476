import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { MasterKeyUnavailableError } from '../../src/domain/model/errors.ts';
import type { LendSecret, WrappingKey } from '../../src/ports/wrapping-key.ts';

/** A WrappingKey in memory: AES-256-GCM under a random key. */
export class FixedWrappingKey implements WrappingKey {
  /** Message of rejections; null: available. */
  unavailable: string | null = null;
  /** Decrypted instead of the plaintext; null: the plaintext. */
  decrypted: Buffer | null = null;
  /** Calls of `unwrap`. */
  unwrapped = 0;
  readonly #key = randomBytes(32);

  async wrap(masterKeyId: string, lend: LendSecret): Promise<Uint8Array> {
    this.#assertAvailable();
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(masterKeyId));
    const ciphertext = lend((secret) => Buffer.concat([cipher.update(secret), cipher.final()]));
    return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]);
  }

  async unwrap<Result>(
    masterKeyId: string,
    ciphertext: Uint8Array,
    use: (masterKey: Uint8Array) => Result,
  ): Promise<Result> {
    this.unwrapped += 1;
    this.#assertAvailable();
    return use(this.decrypted ?? this.#decrypt(masterKeyId, Buffer.from(ciphertext)));
  }

  #decrypt(masterKeyId: string, sealed: Buffer): Buffer {
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, 12));
    decipher.setAAD(Buffer.from(masterKeyId)).setAuthTag(sealed.subarray(-16));
    try {
      return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()]);
    } catch (error) {
      throw new MasterKeyUnavailableError('FixedWrappingKey: not authentic', { cause: error });
    }
  }

  #assertAvailable(): void {
    if (this.unavailable !== null) throw new MasterKeyUnavailableError(this.unavailable);
  }
}
