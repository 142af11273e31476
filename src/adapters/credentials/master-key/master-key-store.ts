import { CredentialLoadError } from '../../../domain/model/errors.ts';
import { KeyFileError } from '../../key-files/secret-file.ts';
import type { PassphrasePrompt } from '../../passphrase/passphrase-prompt.ts';
import { KeyEncryptionKey, openSecret, type SealedSecret, sealSecret } from '../../vault/key-encryption-key.ts';
import { MemoryLockError } from '../../vault/locked-buffer.ts';
import { createWrappingKeyLoader } from '../wrapping-keys/wrapping-key-loader.ts';
import type { LoadWrappingKey } from './envelope-source.ts';
import { MasterKey } from './master-key.ts';
import { readMasterKeyFile, removeStoredKey, type StoredMasterKey } from './master-key-file.ts';
import { type MasterKeyFiles, type MasterKeyPair, readMasterKeyPair, wipeMasterKeyPair } from './master-key-pair.ts';
import { MasterKeyRing } from './master-key-ring.ts';
import { PassphraseDialog } from './passphrase-dialog.ts';
import { type MasterKeyOpeners, openStoredKey } from './stored-key-sources.ts';

/** Master keys kept for the life of the process, encrypted in memory. */
export class VaultedMasterKeys {
  readonly #sealed = new Map<string, SealedSecret>();
  #protection: KeyEncryptionKey | null = null;

  has(id: string): boolean {
    return this.#sealed.has(id);
  }

  /** Stores a copy of `key`, replacing one of the same id. @throws MemoryLockError */
  store(key: MasterKey): void {
    this.#protection ??= new KeyEncryptionKey();
    const { generation } = this.#protection;
    const sealed = this.#protection.use(generation, (protection) =>
      key.use((bytes) => sealSecret(bytes, getContext(key.id), protection)),
    );
    this.#sealed.set(key.id, sealed);
  }

  /**
   * Opens a key in its own locked memory, which the caller destroys; undefined if unknown.
   * @throws MemoryLockError
   */
  open(id: string): MasterKey | undefined {
    const sealed = this.#sealed.get(id);
    const protection = this.#protection;
    if (sealed === undefined || protection === null) return undefined;
    return MasterKey.fill((bytes) =>
      protection.use(protection.generation, (key) => openSecret(sealed, getContext(id), key, bytes)),
    );
  }

  /** Wipes all keys. Idempotent. */
  close(): void {
    this.#sealed.clear();
    this.#protection?.free();
    this.#protection = null;
  }
}

function getContext(id: string): Buffer {
  return Buffer.from(JSON.stringify(['master-key', id]));
}

/** Whether to prompt for a passphrase. */
export type PassphrasePolicy = 'may-ask' | 'do-not-ask';

/**
 * Opens rings from the current files. Keys opened by passphrase, service or token stay, encrypted,
 * until `close`: a reload under the same master key needs neither prompt nor service.
 */
export class MasterKeyStore {
  readonly #files: MasterKeyFiles;
  readonly #prompt: PassphrasePrompt;
  readonly #load: LoadWrappingKey;
  readonly #stored = new VaultedMasterKeys();

  /** @param load by default, of a machine without settings for services and tokens */
  constructor(files: MasterKeyFiles, prompt: PassphrasePrompt, load: LoadWrappingKey = createWrappingKeyLoader()) {
    this.#files = files;
    this.#prompt = prompt;
    this.#load = load;
  }

  get files(): readonly string[] {
    return [this.#files.primary, this.#files.previous];
  }

  /**
   * Opens a ring for seals under these master keys. Other wrapped keys stay closed, to avoid
   * needless prompts and calls.
   * @throws KeyFileError if a file is invalid or a wrapped key cannot be opened; MemoryLockError
   */
  openFor(ids: ReadonlySet<string>, policy: PassphrasePolicy): Promise<MasterKeyRing> {
    return this.#open((pair) => [pair.primary, pair.previous].filter((stored) => ids.has(stored?.id ?? '')), policy);
  }

  /** Opens a ring for sealing new keys, with the previous key if plain. Throws the same. */
  openPrimary(): Promise<MasterKeyRing> {
    return this.#open((pair) => [pair.primary], 'may-ask');
  }

  /** Id of the current primary key. @throws KeyFileError, MemoryLockError */
  primaryId(): string {
    const stored = readMasterKeyFile(this.#files.primary);
    removeStoredKey(stored);
    return stored.id;
  }

  /** Wipes stored keys; wrapped ones need their passphrase again. Idempotent. */
  close(): void {
    this.#stored.close();
  }

  async #open(
    needed: (pair: MasterKeyPair) => readonly (StoredMasterKey | undefined)[],
    policy: PassphrasePolicy,
  ): Promise<MasterKeyRing> {
    const pair = readMasterKeyPair(this.#files);
    const keys = new Map<string, MasterKey>();
    const dialog = new PassphraseDialog(this.#prompt);
    try {
      for (const stored of needed(pair)) {
        if (stored !== undefined && stored.kind !== 'plain') {
          await this.#hold(stored, policy, { dialog, load: this.#load });
        }
      }
      for (const stored of [pair.primary, pair.previous]) {
        if (stored === undefined || keys.has(stored.id)) continue;
        const key = stored.kind === 'plain' ? stored.key.copy() : this.#stored.open(stored.id);
        if (key !== undefined) keys.set(key.id, key);
      }
      return new MasterKeyRing(this.#files, pair, keys);
    } catch (error) {
      for (const key of keys.values()) key.destroy();
      throw error;
    } finally {
      dialog.close();
      wipeMasterKeyPair(pair);
    }
  }

  async #hold(
    stored: Exclude<StoredMasterKey, { kind: 'plain' }>,
    policy: PassphrasePolicy,
    openers: MasterKeyOpeners,
  ): Promise<void> {
    if (this.#stored.has(stored.id)) return;
    if (stored.kind === 'wrapped' && policy === 'do-not-ask') {
      throw new KeyFileError(
        stored.file,
        `it contains master key ${stored.id}, whose passphrase was not typed when this service started; ` +
          'restart the service and type the passphrase',
      );
    }
    const key = await openStoredKey(stored, openers);
    try {
      this.#stored.store(key);
    } finally {
      key.destroy();
    }
  }
}

/**
 * Converts master key errors to configuration errors; others are unchanged.
 * @param accounts end of the message: the accounts that need the master key
 */
export function toLoadError(location: string, error: unknown, accounts = ''): unknown {
  if (!(error instanceof KeyFileError || error instanceof MemoryLockError)) return error;
  return new CredentialLoadError(location, [{ path: '', message: `${error.message}${accounts}` }], error);
}
