import { SealedKeyError } from '../sealed-key.ts';
import type { MasterKey } from './master-key.ts';
import type { MasterKeyFiles, MasterKeyPair } from './master-key-pair.ts';

/** Owns the master keys that open a reading of the credentials file, by id. */
export class MasterKeyRing {
  /** Id of the key that seals new keys. */
  readonly primaryId: string;
  readonly #files: MasterKeyFiles;
  readonly #previousId: string | undefined;
  readonly #keys: ReadonlyMap<string, MasterKey>;

  /**
   * @param files for messages
   * @param pair content of the files
   * @param keys opened keys by id; `close` destroys them
   */
  constructor(files: MasterKeyFiles, { primary, previous }: MasterKeyPair, keys: ReadonlyMap<string, MasterKey>) {
    this.primaryId = primary.id;
    this.#files = files;
    this.#previousId = previous?.id;
    this.#keys = keys;
  }

  /** Seals new keys; owned by the ring. */
  get primary(): MasterKey {
    return this.keyFor(this.primaryId);
  }

  /** Whether a file has that key, opened or not. */
  isReadable(id: string): boolean {
    return id === this.primaryId || id === this.#previousId;
  }

  /**
   * The key of that id, owned by the ring.
   * @throws SealedKeyError that names the files' keys, if unknown
   */
  keyFor(id: string): MasterKey {
    const key = this.#keys.get(id);
    if (key !== undefined) return key;
    if (this.isReadable(id)) throw new Error('The master key with that ID was not opened.');
    throw new SealedKeyError(`is sealed under master key ${id}, but ${this.describe()}`);
  }

  /** The files' keys and the remedy for another id, as the end of a sentence. */
  describe(): string {
    const { primary, previous } = this.#files;
    const primaryText = `${primary} contains ${this.primaryId}`;
    if (this.#previousId !== undefined) {
      return `${primaryText} and ${previous} contains ${this.#previousId}; set SIGNING_PREVIOUS_MASTER_KEY_FILE to a file with that master key`;
    }
    return (
      `${primaryText}; set SIGNING_MASTER_KEY_FILE to the master key under which it was sealed, ` +
      `or, during a rotation, put that key into ${previous}, which does not exist`
    );
  }

  /** Keeps the keys accessible during `work`. Not re-entrant, synchronous. */
  keepAccessible<Result>(work: () => Result): Result {
    return [...this.#keys.values()].reduce<() => Result>((inner, key) => () => key.keepAccessible(inner), work)();
  }

  /** Wipes the keys. Idempotent. */
  close(): void {
    for (const key of this.#keys.values()) key.destroy();
  }
}
