import type { KeyHandle, SecretBytes } from '../../src/domain/model/account.ts';
import { KeyUnavailableError } from '../../src/domain/model/errors.ts';
import type { KeyIdentity, KeyStore } from '../../src/ports/key-store.ts';

/** One call of the store. */
export interface KeyStoreCall {
  readonly call: 'create' | 'use' | 'refresh' | 'discard' | 'purge';
  /** Null for `refresh`, `purge` and unknown handles. */
  readonly identity: KeyIdentity | null;
}

/**
 * A KeyStore in plain memory that records its calls, so that a test can tell which account's key
 * was opened, when, and how often. Never for real keys.
 */
export class MockKeyStore implements KeyStore {
  readonly calls: KeyStoreCall[] = [];
  readonly #keys = new Map<string, { readonly identity: KeyIdentity; readonly bytes: Uint8Array }>();
  readonly #observe: (call: KeyStoreCall) => void;
  #created = 0;
  #open = false;
  #purged = false;

  /** `observe` is called with each call. */
  constructor(observe: (call: KeyStoreCall) => void = () => undefined) {
    this.#observe = observe;
  }

  create(identity: KeyIdentity, length: number, fill: (secret: SecretBytes) => void): KeyHandle {
    this.#assertUsable();
    this.#note('create', identity);
    const bytes = new Uint8Array(length);
    assertSynchronous(fill(bytes));
    this.#created += 1;
    const handle = { id: `mock-key-${this.#created}` };
    this.#keys.set(handle.id, { identity, bytes });
    return handle;
  }

  use<Result>(handle: KeyHandle, action: (secret: SecretBytes) => Result): Result {
    this.#assertUsable();
    const key = this.#keys.get(handle.id);
    this.#note('use', key?.identity ?? null);
    if (key === undefined) throw new KeyUnavailableError('The key store does not have this key.');
    if (this.#open) throw new Error('The key store is in use already.');
    this.#open = true;
    try {
      return assertSynchronous(action(key.bytes.slice()));
    } finally {
      this.#open = false;
    }
  }

  async refresh(): Promise<void> {
    this.#note('refresh', null);
  }

  discard(handle: KeyHandle): void {
    this.#note('discard', this.#keys.get(handle.id)?.identity ?? null);
    this.#keys.delete(handle.id);
  }

  purge(): void {
    this.#note('purge', null);
    this.#keys.clear();
    this.#purged = true;
  }

  #note(call: KeyStoreCall['call'], identity: KeyIdentity | null): void {
    this.calls.push({ call, identity });
    this.#observe({ call, identity });
  }

  #assertUsable(): void {
    if (this.#purged) throw new KeyUnavailableError('The key store was purged.');
  }
}

function assertSynchronous<Result>(result: Result): Result {
  if (result instanceof Promise) throw new TypeError('A key can only be used synchronously.');
  return result;
}
