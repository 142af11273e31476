import { KeyEncryptionKey } from '../../../../secure-memory/key-encryption-key.ts';
import { openSecret, type SealedSecret, sealSecret } from '../../../../secure-memory/sealed-secret.ts';
import { MasterKey } from './master-key.ts';

/** Master keys that stay for the life of the process, encrypted in memory as the keys of accounts are. */
export class HeldMasterKeys {
  readonly #sealed = new Map<string, SealedSecret>();
  #protection: KeyEncryptionKey | null = null;

  has(id: string): boolean {
    return this.#sealed.has(id);
  }

  /** Keeps a copy of `key`, in place of one that has its id. @throws MemoryLockError when memory can't be locked */
  hold(key: MasterKey): void {
    this.#protection ??= new KeyEncryptionKey();
    const { generation } = this.#protection;
    const sealed = this.#protection.use(generation, (protection) =>
      key.use((bytes) => sealSecret(bytes, contextOf(key.id), protection)),
    );
    this.#sealed.set(key.id, sealed);
  }

  /** The key of that id in locked memory of its own, for the caller to destroy; undefined when none is held. @throws MemoryLockError */
  open(id: string): MasterKey | undefined {
    const sealed = this.#sealed.get(id);
    const protection = this.#protection;
    if (sealed === undefined || protection === null) return undefined;
    return MasterKey.fill((bytes) =>
      protection.use(protection.generation, (key) => openSecret(sealed, contextOf(id), key, bytes)),
    );
  }

  /** Forgets every key and wipes what protected them. Safe to call twice. */
  close(): void {
    this.#sealed.clear();
    this.#protection?.free();
    this.#protection = null;
  }
}

function contextOf(id: string): Buffer {
  return Buffer.from(JSON.stringify(['master-key', id]));
}
