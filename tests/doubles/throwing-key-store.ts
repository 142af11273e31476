import { MockKeyStore } from './mock-key-store.ts';

/** A KeyStore that accepts keys and throws when one is opened. */
export class ThrowingKeyStore extends MockKeyStore {
  readonly #error: unknown;

  constructor(error: unknown) {
    super();
    this.#error = error;
  }

  override use(): never {
    throw this.#error;
  }
}
