import { CredentialLoadError } from '../../../domain/model/errors.ts';
import type { Platform } from '../../../domain/model/platform.ts';
import type { CredentialAccount, CredentialSet, CredentialSource } from '../../../ports/credential-source.ts';
import type { AccountEntry } from './account-schema.ts';
import type { CredentialFault } from './credential-fault.ts';
import { currentDigest, readCredentialsFile } from './credentials-file.ts';
import type { CredentialsContent } from './credentials-schema.ts';
import { accountFactsOf, platformOf } from './entry-defaults.ts';
import { KeyOpener, KeySourceError } from './key-opener.ts';
import type { AskPolicy, MasterKeyKeeper } from './master-key/master-key-keeper.ts';
import { asLoadError } from './master-key/master-key-load-error.ts';
import type { MasterKeyRing } from './master-key/master-key-ring.ts';
import { masterKeyIdsOf } from './sealed-counts.ts';
import { secretDecodingOf } from './wanted-key.ts';

/** What a {@link FileCredentialSource} is made of. */
export interface FileCredentialSourceOptions {
  /** Path of the credentials file. */
  readonly file: string;
  /** Opens the master keys; asked only when a key is sealed. */
  readonly masterKeys: MasterKeyKeeper;
  /** Setting SIGNING_ALLOW_PLAINTEXT_KEYS. */
  readonly allowPlaintextKeys: boolean;
  /** Whether this is production, where plaintext keys are refused whatever is allowed. */
  readonly production: boolean;
}

/** The credentials file as a source of configuration. */
export class FileCredentialSource implements CredentialSource {
  readonly location: string;
  readonly #options: FileCredentialSourceOptions;
  #policy: AskPolicy = 'may-ask';

  constructor(options: FileCredentialSourceOptions) {
    this.location = options.file;
    this.#options = options;
  }

  /**
   * Reads and checks the file, and takes the master keys into locked memory, where they stay until the set is closed. The first load may ask for the passphrase
   * of a master key; later ones, while requests are served, never do.
   * @throws CredentialLoadError that names every fault it found, up to 20, or the master key file
   */
  async load(): Promise<CredentialSet> {
    const policy = this.#policy;
    this.#policy = 'do-not-ask';
    const { content, digest } = await readCredentialsFile(this.location, (read) =>
      plaintextFaults(read, this.#options),
    );
    const ids = masterKeyIdsOf(content);
    const opener = new KeyOpener(this.location, ids.size > 0 ? await this.#openMasterKeys(ids, policy) : undefined);
    const platforms = content.platforms.map(platformOf);
    const byId = new Map(platforms.map((platform) => [platform.platformId, platform]));
    return {
      platforms,
      accounts: content.accounts.map((entry, index) => this.#account(entry, index, byId.get(entry.platformId), opener)),
      digest,
      close: () => opener.close(),
    };
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

  #account(entry: AccountEntry, index: number, platform: Platform | undefined, opener: KeyOpener): CredentialAccount {
    const path = `accounts[${index}]`;
    const secretDecoding = secretDecodingOf(platform);
    return {
      ...accountFactsOf(entry),
      path,
      withPrivateKey: async (lengths, use) => {
        try {
          return await opener.open(entry, { algorithm: entry.algorithm, lengths, secretDecoding }, use);
        } catch (error) {
          if (!(error instanceof KeySourceError)) throw error;
          throw new CredentialLoadError(this.location, [{ path: `${path}.key`, message: error.message }], error);
        }
      },
    };
  }

  async #openMasterKeys(ids: ReadonlySet<string>, policy: AskPolicy): Promise<MasterKeyRing> {
    try {
      return await this.#options.masterKeys.openFor(ids, policy);
    } catch (error) {
      throw asLoadError(this.location, error);
    }
  }
}

function plaintextFaults(
  { accounts }: CredentialsContent,
  { allowPlaintextKeys, production }: FileCredentialSourceOptions,
): readonly CredentialFault[] {
  if (allowPlaintextKeys && !production) return [];
  const message = production
    ? 'is refused in production, whatever SIGNING_ALLOW_PLAINTEXT_KEYS says; import the key with `signing-service account add --key-file`'
    : 'is refused unless SIGNING_ALLOW_PLAINTEXT_KEYS=true, which is for development only; import the key with `signing-service account add --key-file`';
  return accounts.flatMap(({ key }, index) =>
    'plaintext' in key ? [{ path: ['accounts', index, 'key', 'plaintext'], message }] : [],
  );
}
