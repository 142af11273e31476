import { MockKeyStore } from './mock-key-store.ts';

/** A KeyStore that takes keys in and throws a given error whenever one is to be opened. */
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
