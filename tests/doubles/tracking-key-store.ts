import type { KeyHandle } from '../../src/domain/model/key-handle.ts';
import type { SecretBytes } from '../../src/domain/model/secret-bytes.ts';
import type { KeyIdentity } from '../../src/ports/key-store.ts';
import { MockKeyStore } from './mock-key-store.ts';

/** A MockKeyStore that also tells which keys it holds, and which ones it was told to discard. */
export class TrackingKeyStore extends MockKeyStore {
  /** Ids of the keys that it holds, in the order in which they came. */
  readonly held = new Set<string>();
  /** Ids that were given to `discard`, each as often as it was. */
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
