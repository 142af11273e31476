import { dirname } from 'node:path';
import { CredentialLoadError, OperatorError } from '../../domain/model/errors.ts';
import type { Platform } from '../../domain/model/platform.ts';
import type { CredentialAccount, CredentialSet, CredentialSource } from '../../ports/credential-source.ts';
import { MemoryLockError } from '../vault/locked-buffer.ts';
import { currentDigest } from './credentials-file.ts';
import { getSecretDecoding, toPlatform } from './entry-defaults.ts';
import { type AccountsReading, FileCredentialAccount } from './file-credential-account.ts';
import { KeyOpener } from './key-opener.ts';
import { type MasterKeyRing, type MasterKeyStore, type PassphrasePolicy, toLoadError } from './keyring/master-keys.ts';
import { type CredentialsReader, readInWorker } from './read-in-worker.ts';
import type { PlaintextPolicy } from './validated-credentials.ts';

/** Options of a {@link FileCredentialSource}. */
export interface FileCredentialSourceOptions extends PlaintextPolicy {
  /** Path of the credentials file. */
  readonly file: string;
  /** Opens the master keys, if keys are sealed. */
  readonly masterKeys: MasterKeyStore;
}

/** The credentials file as CredentialSource. */
export class FileCredentialSource implements CredentialSource {
  readonly location: string;
  readonly #options: FileCredentialSourceOptions;
  #policy: PassphrasePolicy = 'may-ask';
  #keyFiles: readonly string[] = [];
  #onFiles: () => void = () => undefined;

  constructor(options: FileCredentialSourceOptions) {
    this.location = options.file;
    this.#options = options;
  }

  get files(): readonly string[] {
    return [this.location, this.#options.masterKeys.file, ...this.#keyFiles];
  }

  onFiles(listener: () => void): void {
    this.#onFiles = listener;
  }

  /**
   * Reads and validates the file, and opens the master keys. Only the first load may prompt for a
   * passphrase.
   * @throws CredentialLoadError with up to 20 issues, or the master key file
   */
  async load(): Promise<CredentialSet> {
    const policy = this.#policy;
    this.#policy = 'do-not-ask';
    const { allowPlaintextKeys, production } = this.#options;
    const read = await readInWorker({ file: this.location, policy: { allowPlaintextKeys, production } });
    this.#keyFiles = read.keyFiles;
    this.#onFiles();
    try {
      const masterKeys = read.masterKeyIds.size > 0 ? await this.#openMasterKeys(read, policy) : undefined;
      return this.#setOf(read, masterKeys);
    } catch (error) {
      read.close();
      throw error;
    }
  }

  async digest(): Promise<string | null> {
    try {
      return await currentDigest(this.location);
    } catch (error) {
      if (error instanceof CredentialLoadError) return null;
      throw error;
    }
  }

  #setOf(read: CredentialsReader, masterKeys: MasterKeyRing | undefined): CredentialSet {
    const platforms = read.platforms.map(toPlatform);
    const opener = new KeyOpener(this.location, masterKeys);
    const areOpenable = masterKeys === undefined || [...read.masterKeyIds].every((id) => masterKeys.isReadable(id));
    const reading = { file: this.location, folder: dirname(this.location), opener, areOpenable };
    return {
      platforms,
      permissions: read.permissions,
      policies: read.policies,
      budgets: read.budgets,
      accounts: this.#accounts(read.accounts, platforms, reading),
      digest: read.digest,
      permissionsDigest: read.permissionsDigest,
      policiesDigest: read.policiesDigest,
      budgetsDigest: read.budgetsDigest,
      masterKeyIds: [...read.masterKeyIds].toSorted(),
      prepareKeys: (accounts) => this.#prepareKeys(opener, accounts),
      together: (work) => opener.together(work),
      close: () => {
        opener.close();
        read.close();
      },
    };
  }

  async #prepareKeys(opener: KeyOpener, accounts: readonly CredentialAccount[]): Promise<void> {
    try {
      await opener.prepare(accounts.flatMap((one) => (one instanceof FileCredentialAccount ? one.toOpen : [])));
    } catch (error) {
      if (!(error instanceof OperatorError || error instanceof MemoryLockError)) throw error;
      throw new CredentialLoadError(this.location, [{ path: '', message: error.message }], error);
    }
  }

  async *#accounts(
    slices: CredentialsReader['accounts'],
    platforms: readonly Platform[],
    reading: AccountsReading,
  ): AsyncGenerator<readonly CredentialAccount[]> {
    const decodings = new Map(platforms.map((platform) => [platform.platformId, getSecretDecoding(platform)]));
    let index = 0;
    for await (const slice of slices) {
      const first = index;
      index += slice.length;
      yield slice.map(
        (entry, offset) =>
          new FileCredentialAccount(
            entry,
            first + offset,
            decodings.get(entry.platformId) ?? getSecretDecoding(undefined),
            reading,
          ),
      );
    }
  }

  async #openMasterKeys(
    { masterKeyIds, sealedAccounts }: Pick<CredentialsReader, 'masterKeyIds' | 'sealedAccounts'>,
    policy: PassphrasePolicy,
  ): Promise<MasterKeyRing> {
    try {
      return await this.#options.masterKeys.openFor(masterKeyIds, policy);
    } catch (error) {
      throw toLoadError(this.location, error, sealedAccounts);
    }
  }
}
