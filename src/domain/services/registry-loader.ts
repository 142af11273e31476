import type { Clock } from '../../ports/clock.ts';
import type { CredentialAccount, CredentialSource } from '../../ports/credential-source.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { SignerTable } from '../../ports/signer.ts';
import type { Account } from '../model/account.ts';
import { AccountIndex } from '../model/account-index.ts';
import { CredentialLoadError, InvalidPrivateKeyError } from '../model/errors.ts';
import type { Issue } from '../model/issue.ts';
import type { KeyHandle } from '../model/key-handle.ts';
import { Registry } from '../model/registry.ts';
import { type AdmittedKey, admitKey } from './key-admission.ts';
import { Turns } from './turns.ts';

/** How many faults one load reports at the most. */
const MAX_REPORTED_ISSUES = 20;

/**
 * Makes a complete new generation aside from the one that serves, in turns with requests: every key opened, tested, and held by the KeyStore. Where the source names the same
 * key as before for an account, the one that was opened and tested then is kept.
 */
export class RegistryLoader {
  readonly #source: CredentialSource;
  readonly #keyStore: KeyStore;
  readonly #signers: SignerTable;
  readonly #clock: Clock;

  constructor(source: CredentialSource, keyStore: KeyStore, signers: SignerTable, clock: Clock) {
    this.#source = source;
    this.#keyStore = keyStore;
    this.#signers = signers;
    this.#clock = clock;
  }

  /** Path of the configuration. */
  get location(): string {
    return this.#source.location;
  }

  /**
   * Loads everything. `previous` supplies the keys that stay, and the creation time of accounts for which the operator gave none; new ones get `loadedAt`.
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
    credentials: Iterable<CredentialAccount>,
    previous: Registry,
    loadedAt: string,
    created: KeyHandle[],
  ): Promise<AccountIndex> {
    const accounts = new AccountIndex();
    const issues: Issue[] = [];
    const turns = new Turns(this.#clock);
    for (const credential of credentials) {
      if (issues.length >= MAX_REPORTED_ISSUES) break;
      const known = previous.account(credential.platformId, credential.accountId);
      const createdAt = credential.createdAt ?? known?.createdAt ?? loadedAt;
      try {
        accounts.add(
          accountOf(credential, createdAt, kept(known, credential) ?? (await this.#admit(credential, created))),
        );
      } catch (error) {
        issues.push(...issuesOf(error, credential));
      }
      await turns.pause();
    }
    if (issues.length === 0) return accounts;
    throw new CredentialLoadError(this.#source.location, issues.slice(0, MAX_REPORTED_ISSUES));
  }

  async #admit(credential: CredentialAccount, created: KeyHandle[]): Promise<AdmittedKey> {
    const { platformId, accountId, algorithm } = credential;
    const signer = this.#signers[algorithm];
    const admitted = await credential.withPrivateKey(signer.privateKeyLengths, (privateKey) => {
      const key = admitKey(this.#keyStore, signer, { platformId, accountId, algorithm }, privateKey);
      created.push(key.handle);
      return key;
    });
    if (credential.publicKey !== null && credential.publicKey !== admitted.publicKey) {
      throw new InvalidPrivateKeyError('The key does not belong to the publicKey that the file names.');
    }
    return admitted;
  }
}

/** The key of the account as it was admitted before, if it is certain that it is still the same. */
function kept(known: Account | undefined, credential: CredentialAccount): AdmittedKey | undefined {
  if (known?.keyRevision === undefined || known.keyRevision !== credential.keyRevision) return undefined;
  if (known.algorithm !== credential.algorithm) return undefined;
  if (credential.publicKey !== null && credential.publicKey !== known.publicKey) return undefined;
  return { handle: known.key, publicKey: known.publicKey };
}

function accountOf(credential: CredentialAccount, createdAt: string, { handle, publicKey }: AdmittedKey): Account {
  const { platformId, accountId, alias, status, environment, algorithm, values, keyRevision } = credential;
  return {
    ...{ platformId, accountId, alias, status, environment, algorithm, publicKey, createdAt },
    ...(values === undefined ? {} : { values }),
    key: handle,
    ...(keyRevision === undefined ? {} : { keyRevision }),
  };
}

function issuesOf(error: unknown, credential: CredentialAccount): readonly Issue[] {
  if (error instanceof CredentialLoadError) return error.issues;
  if (error instanceof InvalidPrivateKeyError) return [{ path: `${credential.path}.key`, message: error.message }];
  throw error;
}
