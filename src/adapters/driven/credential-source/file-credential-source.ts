import { dirname } from 'node:path';
import { CredentialLoadError } from '../../../domain/model/errors.ts';
import type { Platform } from '../../../domain/model/platform.ts';
import type { CredentialAccount, CredentialSet, CredentialSource } from '../../../ports/credential-source.ts';
import type { PlaintextPolicy } from './checked-credentials.ts';
import { currentDigest } from './credentials-file.ts';
import { platformOf } from './entry-defaults.ts';
import { FileCredentialAccount } from './file-credential-account.ts';
import { KeyOpener } from './key-opener.ts';
import type { AskPolicy, MasterKeyKeeper } from './master-key/master-key-keeper.ts';
import { asLoadError } from './master-key/master-key-load-error.ts';
import type { MasterKeyRing } from './master-key/master-key-ring.ts';
import { type CredentialsReader, readAside } from './read-aside.ts';
import { secretDecodingOf } from './wanted-key.ts';

/** What a {@link FileCredentialSource} is made of. */
export interface FileCredentialSourceOptions extends PlaintextPolicy {
  /** Path of the credentials file. */
  readonly file: string;
  /** Opens the master keys; asked only when a key is sealed. */
  readonly masterKeys: MasterKeyKeeper;
}

/** The credentials file as a source of configuration. */
export class FileCredentialSource implements CredentialSource {
  readonly location: string;
  readonly #options: FileCredentialSourceOptions;
  #policy: AskPolicy = 'may-ask';
  #keyFiles: readonly string[] = [];
  #onFiles: () => void = () => undefined;

  constructor(options: FileCredentialSourceOptions) {
    this.location = options.file;
    this.#options = options;
  }

  get files(): readonly string[] {
    return [this.location, ...this.#options.masterKeys.files, ...this.#keyFiles];
  }

  onFiles(listener: () => void): void {
    this.#onFiles = listener;
  }

  /**
   * Reads and checks the file, and takes the master keys into locked memory, where they stay until the set is closed. The first load may ask for the passphrase
   * of a master key; later ones, while requests are served, never do.
   * @throws CredentialLoadError that names every fault it found, up to 20, or the master key file
   */
  async load(): Promise<CredentialSet> {
    const policy = this.#policy;
    this.#policy = 'do-not-ask';
    const { allowPlaintextKeys, production } = this.#options;
    const read = await readAside({ file: this.location, policy: { allowPlaintextKeys, production } });
    this.#keyFiles = read.keyFiles;
    this.#onFiles();
    try {
      const masterKeys = read.masterKeyIds.size > 0 ? await this.#openMasterKeys(read.masterKeyIds, policy) : undefined;
      return this.#setOf(read, new KeyOpener(this.location, masterKeys));
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

  /** Forgets the master keys that a passphrase opened. */
  purge(): void {
    this.#options.masterKeys.close();
  }

  #setOf(read: CredentialsReader, opener: KeyOpener): CredentialSet {
    const platforms = read.platforms.map(platformOf);
    return {
      platforms,
      permissions: read.permissions,
      accounts: this.#accounts(read.accounts, platforms, opener),
      digest: read.digest,
      permissionsDigest: read.permissionsDigest,
      masterKeyIds: [...read.masterKeyIds].toSorted(),
      together: (work) => opener.together(work),
      close: () => {
        opener.close();
        read.close();
      },
    };
  }

  async *#accounts(
    slices: CredentialsReader['accounts'],
    platforms: readonly Platform[],
    opener: KeyOpener,
  ): AsyncGenerator<readonly CredentialAccount[]> {
    const decodings = new Map(platforms.map((platform) => [platform.platformId, secretDecodingOf(platform)]));
    const reading = { file: this.location, folder: dirname(this.location), opener };
    let index = 0;
    for await (const slice of slices) {
      const first = index;
      index += slice.length;
      yield slice.map(
        (entry, offset) =>
          new FileCredentialAccount(
            entry,
            first + offset,
            decodings.get(entry.platformId) ?? secretDecodingOf(undefined),
            reading,
          ),
      );
    }
  }

  async #openMasterKeys(ids: ReadonlySet<string>, policy: AskPolicy): Promise<MasterKeyRing> {
    try {
      return await this.#options.masterKeys.openFor(ids, policy);
    } catch (error) {
      throw asLoadError(this.location, error);
    }
  }
}
