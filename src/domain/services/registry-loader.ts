import type { CredentialAccount, CredentialSource } from '../../ports/credential-source.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { SignerTable } from '../../ports/signer.ts';
import type { Account } from '../model/account.ts';
import { CredentialLoadError, InvalidPrivateKeyError } from '../model/errors.ts';
import type { Issue } from '../model/issue.ts';
import type { KeyHandle } from '../model/key-handle.ts';
import { Registry } from '../model/registry.ts';
import { admitKey } from './key-admission.ts';

/** How many faults one load reports at the most. */
const MAX_REPORTED_ISSUES = 20;

/** Makes a complete new generation aside from the one that serves: every key opened, tested, and held by the KeyStore. */
export class RegistryLoader {
  readonly #source: CredentialSource;
  readonly #keyStore: KeyStore;
  readonly #signers: SignerTable;

  constructor(source: CredentialSource, keyStore: KeyStore, signers: SignerTable) {
    this.#source = source;
    this.#keyStore = keyStore;
    this.#signers = signers;
  }

  /** Path of the configuration. */
  get location(): string {
    return this.#source.location;
  }

  /**
   * Loads everything. `previous` supplies the creation time of accounts for which the operator gave none; new ones get `loadedAt`.
   * @throws CredentialLoadError naming what is wrong; then no key of the failed load is kept.
   */
  async load(previous: Registry, loadedAt: string): Promise<Registry> {
    const credentials = await this.#source.load();
    const created: KeyHandle[] = [];
    try {
      const accounts = await this.#admitAll(credentials.accounts, previous, loadedAt, created);
      return new Registry(credentials.platforms, accounts, credentials.digest);
    } catch (error) {
      for (const handle of created) this.#keyStore.discard(handle);
      throw error;
    } finally {
      credentials.close();
    }
  }

  async #admitAll(
    credentials: readonly CredentialAccount[],
    previous: Registry,
    loadedAt: string,
    created: KeyHandle[],
  ): Promise<readonly Account[]> {
    const accounts: Account[] = [];
    const issues: Issue[] = [];
    for (const credential of credentials) {
      if (issues.length >= MAX_REPORTED_ISSUES) break;
      const known = previous.account(credential.platformId, credential.accountId);
      try {
        accounts.push(await this.#admit(credential, credential.createdAt ?? known?.createdAt ?? loadedAt, created));
      } catch (error) {
        issues.push(...issuesOf(error, credential));
      }
    }
    if (issues.length === 0) return accounts;
    throw new CredentialLoadError(this.#source.location, issues.slice(0, MAX_REPORTED_ISSUES));
  }

  async #admit(credential: CredentialAccount, createdAt: string, created: KeyHandle[]): Promise<Account> {
    const { platformId, accountId, alias, status, environment, algorithm, values } = credential;
    const signer = this.#signers[algorithm];
    const { handle, publicKey } = await credential.withPrivateKey(signer.privateKeyLengths, (privateKey) => {
      const admitted = admitKey(this.#keyStore, signer, { platformId, accountId, algorithm }, privateKey);
      created.push(admitted.handle);
      return admitted;
    });
    if (credential.publicKey !== null && credential.publicKey !== publicKey) {
      throw new InvalidPrivateKeyError('The key does not belong to the publicKey that the file names.');
    }
    const profile = { platformId, accountId, alias, status, environment, algorithm, publicKey, createdAt };
    return { ...profile, ...(values === undefined ? {} : { values }), key: handle };
  }
}

function issuesOf(error: unknown, credential: CredentialAccount): readonly Issue[] {
  if (error instanceof CredentialLoadError) return error.issues;
  if (error instanceof InvalidPrivateKeyError) return [{ path: `${credential.path}.key`, message: error.message }];
  throw error;
}
