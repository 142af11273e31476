import { KeyFileError } from '../../../../secure-memory/key-file-error.ts';
import type { PassphrasePrompt } from '../../../../secure-memory/passphrase-prompt.ts';
import { HeldMasterKeys } from './held-master-keys.ts';
import type { MasterKey } from './master-key.ts';
import { forgetStoredKey, readMasterKeyFile, type StoredMasterKey, type StoredWrappedKey } from './master-key-file.ts';
import { forgetPair, type MasterKeyFiles, type MasterKeyPair, readMasterKeyPair } from './master-key-pair.ts';
import { MasterKeyRing } from './master-key-ring.ts';
import { PassphraseDialog } from './passphrase-dialog.ts';

/** Whether a person may be asked for a passphrase now. */
export type AskPolicy = 'may-ask' | 'do-not-ask';

/**
 * Makes rings of what the master key files hold at the time. A key that a passphrase opened is held, encrypted, until `close`, so that a running service can
 * reload without a person; a plain key is read anew each time.
 */
export class MasterKeyKeeper {
  readonly #files: MasterKeyFiles;
  readonly #prompt: PassphrasePrompt;
  readonly #held = new HeldMasterKeys();

  constructor(files: MasterKeyFiles, prompt: PassphrasePrompt) {
    this.#files = files;
    this.#prompt = prompt;
  }

  /** Paths of the two files, of which the second need not be there. */
  get files(): readonly string[] {
    return [this.#files.primary, this.#files.previous];
  }

  /**
   * The ring for sealed keys that name these master keys. A wrapped key that none of them names stays closed, so that nobody is asked for a passphrase without
   * need.
   * @throws KeyFileError when a file is wrong, or a wrapped key can't be opened
   * @throws MemoryLockError when memory can't be locked
   */
  openFor(ids: ReadonlySet<string>, policy: AskPolicy): Promise<MasterKeyRing> {
    return this.#open((pair) => [pair.primary, pair.previous].filter((stored) => ids.has(stored?.id ?? '')), policy);
  }

  /** The ring for sealing new keys; a previous key is in it when it is plain. Throws the same. */
  openPrimary(): Promise<MasterKeyRing> {
    return this.#open((pair) => [pair.primary], 'may-ask');
  }

  /** Id of the primary key that is in its file now. @throws KeyFileError, MemoryLockError */
  primaryId(): string {
    const stored = readMasterKeyFile(this.#files.primary);
    forgetStoredKey(stored);
    return stored.id;
  }

  /** Wipes every key that is held. A wrapped key needs its passphrase again afterwards. Safe to call twice. */
  close(): void {
    this.#held.close();
  }

  async #open(
    needed: (pair: MasterKeyPair) => readonly (StoredMasterKey | undefined)[],
    policy: AskPolicy,
  ): Promise<MasterKeyRing> {
    const pair = readMasterKeyPair(this.#files);
    const keys = new Map<string, MasterKey>();
    const dialog = new PassphraseDialog(this.#prompt);
    try {
      for (const stored of needed(pair)) {
        if (stored?.kind === 'wrapped') await this.#hold(stored, policy, dialog);
      }
      for (const stored of [pair.primary, pair.previous]) {
        if (stored === undefined || keys.has(stored.id)) continue;
        const key = stored.kind === 'plain' ? stored.key.copy() : this.#held.open(stored.id);
        if (key !== undefined) keys.set(key.id, key);
      }
      return new MasterKeyRing(this.#files, pair, keys);
    } catch (error) {
      for (const key of keys.values()) key.destroy();
      throw error;
    } finally {
      dialog.close();
      forgetPair(pair);
    }
  }

  async #hold(stored: StoredWrappedKey, policy: AskPolicy, dialog: PassphraseDialog): Promise<void> {
    if (this.#held.has(stored.id)) return;
    if (policy === 'do-not-ask') {
      throw new KeyFileError(
        stored.file,
        `it holds master key ${stored.id}, which only its passphrase opens, and that was not typed when this service started; ` +
          'restart the service and type it',
      );
    }
    const { key } = await dialog.unwrap(stored);
    try {
      this.#held.hold(key);
    } finally {
      key.destroy();
    }
  }
}
