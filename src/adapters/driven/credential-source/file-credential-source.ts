import { CredentialLoadError } from '../../../domain/model/errors.ts';
import type { CredentialAccount, CredentialSet, CredentialSource } from '../../../ports/credential-source.ts';
import { KeyFileError } from '../../../secure-memory/key-file-error.ts';
import { MemoryLockError } from '../../../secure-memory/locked-buffer.ts';
import type { CredentialFault } from './credential-fault.ts';
import { readCredentialsFile } from './credentials-file.ts';
import type { AccountEntry, CredentialsContent } from './credentials-schema.ts';
import { accountFactsOf, platformOf } from './entry-defaults.ts';
import { KeyOpener, KeySourceError } from './key-opener.ts';
import { MasterKey } from './master-key.ts';

/** What a {@link FileCredentialSource} is made of. */
export interface FileCredentialSourceOptions {
  /** Path of the credentials file. */
  readonly file: string;
  /** Path of the master key; read only when a key is sealed. */
  readonly masterKeyFile: string;
  /** Setting SIGNING_ALLOW_PLAINTEXT_KEYS. */
  readonly allowPlaintextKeys: boolean;
  /** Whether this is production, where plaintext keys are refused whatever is allowed. */
  readonly production: boolean;
}

/** The credentials file as a source of configuration. */
export class FileCredentialSource implements CredentialSource {
  readonly location: string;
  readonly #options: FileCredentialSourceOptions;

  constructor(options: FileCredentialSourceOptions) {
    this.location = options.file;
    this.#options = options;
  }

  /**
   * Reads and checks the file, and takes the master key into locked memory, where it stays until the set is closed.
   * @throws CredentialLoadError that names every fault it found, up to 20, or the master key file
   */
  async load(): Promise<CredentialSet> {
    const { content } = await readCredentialsFile(this.location, (read) => plaintextFaults(read, this.#options));
    const sealed = content.accounts.some(({ key }) => 'sealed' in key);
    const opener = new KeyOpener(this.location, sealed ? this.#loadMasterKey() : undefined);
    return {
      platforms: content.platforms.map(platformOf),
      accounts: content.accounts.map((entry, index) => this.#account(entry, index, opener)),
      close: () => opener.close(),
    };
  }

  #account(entry: AccountEntry, index: number, opener: KeyOpener): CredentialAccount {
    const path = `accounts[${index}]`;
    return {
      ...accountFactsOf(entry),
      path,
      withPrivateKey: async (length, use) => {
        try {
          return await opener.open(entry, length, use);
        } catch (error) {
          if (!(error instanceof KeySourceError)) throw error;
          throw new CredentialLoadError(this.location, [{ path: `${path}.key`, message: error.message }], error);
        }
      },
    };
  }

  #loadMasterKey(): MasterKey {
    try {
      return MasterKey.load(this.#options.masterKeyFile);
    } catch (error) {
      if (!(error instanceof KeyFileError || error instanceof MemoryLockError)) throw error;
      throw new CredentialLoadError(this.location, [{ path: '', message: error.message }], error);
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
