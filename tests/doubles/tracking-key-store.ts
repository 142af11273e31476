import type { KeyHandle, SecretBytes } from '../../src/domain/model/account.ts';
import type { KeyIdentity } from '../../src/ports/key-store.ts';
import { MockKeyStore } from './mock-key-store.ts';

/** A MockKeyStore that tracks stored and discarded keys. */
export class TrackingKeyStore extends MockKeyStore {
  /** Ids of stored keys, in order. */
  readonly held = new Set<string>();
  /** Ids passed to `discard`, repeats included. */
  readonly discarded: string[] = [];

  override create(identity: KeyIdentity, length: number, fill: (secret: SecretBytes) => void): KeyHandle {
    const handle = super.create(identity, length, fill);
    this.held.add(handle.id);
    return handle;
  }

  override discard(handle: KeyHandle): void {
    super.discard(handle);
    this.held.delete(handle.id);
    this.discarded.push(handle.id);
  }
}
