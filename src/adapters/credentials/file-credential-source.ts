import { describeAffected } from '../../domain/model/account-issues.ts';
import { CredentialLoadError, inContext } from '../../domain/model/errors.ts';
import { toSecretDecoding } from '../../domain/model/platform.ts';
import type { CredentialAccount, CredentialSet, CredentialSource } from '../../ports/credential-source.ts';
import { currentDigest } from './credentials-file.ts';
import { KeyOpener } from './key-opener.ts';
import type { Keyring, OpenedRing, PassphrasePolicy } from './keyring/keyring.ts';
import { type CredentialsReader, readSliced } from './sliced-credentials.ts';
import type { PlaintextPolicy } from './validated-credentials.ts';

/** Options of a {@link FileCredentialSource}. */
export interface FileCredentialSourceOptions extends PlaintextPolicy {
  /** Path of the credentials file. */
  readonly file: string;
  /** Opens the master keys, if keys are sealed. */
  readonly keyring: Keyring;
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
    return [this.location, this.#options.keyring.file, ...this.#keyFiles];
  }

  onFiles(listener: () => void): void {
    this.#onFiles = listener;
  }

  /**
   * Reads and validates the file, and opens the master keys. Only the first load may prompt for a
   * passphrase.
   * @throws CredentialLoadError with up to 20 issues; OperatorError about the master key file
   */
  async load(): Promise<CredentialSet> {
    const policy = this.#policy;
    this.#policy = 'do-not-ask';
    const { allowPlaintextKeys, production } = this.#options;
    const read = await readSliced({ file: this.location, policy: { allowPlaintextKeys, production } });
    this.#keyFiles = read.keyFiles;
    this.#onFiles();
    try {
      const ring = read.masterKeyIds.size > 0 ? await this.#openRing(read, policy) : undefined;
      return this.#setOf(read, ring);
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

  #setOf(read: CredentialsReader, ring: OpenedRing | undefined): CredentialSet {
    const { accounts, masterKeyIds, sealedAccounts: _, close, ...head } = read;
    const decodings = new Map(head.platforms.map((platform) => [platform.platformId, toSecretDecoding(platform)]));
    const opener = new KeyOpener({ file: this.location, ring, decodings });
    return {
      ...head,
      accounts: toCredentialAccounts(accounts, opener),
      masterKeyIds: [...masterKeyIds].toSorted(),
      prepareKeys: (accounts) => opener.prepare(accounts),
      withPrivateKey: (account, use) => opener.open(account, use),
      together: (work) => opener.together(work),
      close: () => {
        opener.close();
        close();
      },
    };
  }

  async #openRing(
    { masterKeyIds, sealedAccounts }: Pick<CredentialsReader, 'masterKeyIds' | 'sealedAccounts'>,
    policy: PassphrasePolicy,
  ): Promise<OpenedRing> {
    try {
      return await this.#options.keyring.openFor(masterKeyIds, policy);
    } catch (error) {
      throw inContext(
        error,
        (message) => `${message} Affected: ${describeAffected('account', sealedAccounts.names, sealedAccounts)}.`,
      );
    }
  }
}

async function* toCredentialAccounts(
  slices: CredentialsReader['accounts'],
  opener: KeyOpener,
): AsyncGenerator<readonly CredentialAccount[]> {
  let index = 0;
  for await (const slice of slices) {
    const first = index;
    index += slice.length;
    yield slice.map((account, offset) => ({
      account,
      path: `accounts[${first + offset}]`,
      keyRevision: opener.revisionOf(account),
    }));
  }
}
