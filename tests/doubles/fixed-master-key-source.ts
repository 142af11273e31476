import { withLockedBytes } from '../../src/adapters/vault/locked-buffer.ts';
import { MasterKeyUnavailableError } from '../../src/domain/model/errors.ts';
import type { MasterKeySource } from '../../src/ports/master-key-source.ts';

/** A MasterKeySource of a test key, until it is made unavailable. */
export class FixedMasterKeySource implements MasterKeySource {
  /** Message of the rejection; null: available. */
  unavailable: string | null = null;
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  async open<Result>(use: (masterKey: Uint8Array) => Result): Promise<Result> {
    if (this.unavailable !== null) throw new MasterKeyUnavailableError(this.unavailable);
    return withLockedBytes(this.#key.length, (bytes) => {
      this.#key.copy(bytes);
      return use(bytes);
    });
  }
}
