import { SealedKeyError } from '../sealed-key.ts';
import type { MasterKey } from './master-key.ts';
import type { MasterKeyFiles, MasterKeyPair } from './master-key-pair.ts';

/** The master keys that a reading of the credentials file is opened with, by their ids. It owns them. */
export class MasterKeyRing {
  /** Id of the key under which new keys are sealed. */
  readonly primaryId: string;
  readonly #files: MasterKeyFiles;
  readonly #previousId: string | undefined;
  readonly #keys: ReadonlyMap<string, MasterKey>;

  /**
   * @param files the files that messages name
   * @param pair what these files hold
   * @param keys those of the two that were opened, by id; `close` destroys them
   */
  constructor(files: MasterKeyFiles, { primary, previous }: MasterKeyPair, keys: ReadonlyMap<string, MasterKey>) {
    this.primaryId = primary.id;
    this.#files = files;
    this.#previousId = previous?.id;
    this.#keys = keys;
  }

  /** The key under which new keys are sealed; it belongs to the ring. */
  get primary(): MasterKey {
    return this.keyFor(this.primaryId);
  }

  /** Whether one of the two files holds the key of that id, opened or not. */
  isReadable(id: string): boolean {
    return id === this.primaryId || id === this.#previousId;
  }

  /** The key of that id, which belongs to the ring. @throws SealedKeyError when neither file holds it, saying what they hold */
  keyFor(id: string): MasterKey {
    const key = this.#keys.get(id);
    if (key !== undefined) return key;
    if (this.isReadable(id)) throw new Error('The master key of that id was not opened.');
    throw new SealedKeyError(`is sealed under master key ${id}, but ${this.describe()}`);
  }

  /** What the files hold and what to do about a key that they do not, as the end of a sentence. */
  describe(): string {
    const { primary, previous } = this.#files;
    const held = `${primary} holds ${this.primaryId}`;
    if (this.#previousId !== undefined) {
      return `${held} and ${previous} holds ${this.#previousId}; set SIGNING_PREVIOUS_MASTER_KEY_FILE to a file with the key that it was sealed under`;
    }
    return (
      `${held}; set SIGNING_MASTER_KEY_FILE to the master key that it was sealed under, ` +
      `or, during a rotation, put that key into ${previous}, where there is none`
    );
  }

  /** Keeps the keys accessible while `work` uses them many times. Not re-entrant; `work` must be synchronous. */
  hold<Result>(work: () => Result): Result {
    return [...this.#keys.values()].reduce<() => Result>((inner, key) => () => key.hold(inner), work)();
  }

  /** Wipes the keys. Safe to call twice. */
  close(): void {
    for (const key of this.#keys.values()) key.destroy();
  }
}
