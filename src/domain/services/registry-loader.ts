import type { Clock } from '../../ports/clock.ts';
import type { CredentialAccount, CredentialSet, CredentialSource } from '../../ports/credential-source.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { SignerTable } from '../../ports/signer.ts';
import type { Account } from '../model/account.ts';
import { AccountFaults, type FaultyAccount } from '../model/account-faults.ts';
import { AccountIndex } from '../model/account-index.ts';
import { CredentialLoadError, InvalidPrivateKeyError } from '../model/errors.ts';
import type { Issue } from '../model/issue.ts';
import type { KeyHandle } from '../model/key-handle.ts';
import { PermissionIndex } from '../model/permission-index.ts';
import { Permissions } from '../model/permissions.ts';
import { Registry } from '../model/registry.ts';
import { type AdmittedKey, admitKey, admittedAccount } from './key-admission.ts';
import { hasSameValues } from './registry-changes.ts';
import { TimeSlice } from './time-slice.ts';

/** What a load has come to so far. */
interface Loading {
  readonly previous: Registry;
  readonly loadedAt: string;
  readonly accounts: AccountIndex;
  /** Keys that were taken in, for the case that it fails. */
  readonly created: KeyHandle[];
  readonly faults: AccountFaults<Issue>;
  /** Accounts that could not be taken in. */
  refused: number;
}

/**
 * Makes a complete new generation aside from the one that serves, in slices: every key opened,
 * tested, and held by the KeyStore. Where the source names the same key as before for an account,
 * the one that was opened and tested then is kept.
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
    const loading: Loading = {
      previous,
      loadedAt,
      accounts: new AccountIndex(),
      created: [],
      faults: new AccountFaults(),
      refused: 0,
    };
    try {
      await this.#admitAll(credentials, loading);
      const permissions = await this.#permissionsOf(credentials);
      const { platforms, digest, permissionsDigest, masterKeyIds } = credentials;
      return new Registry(platforms, loading.accounts, { digest, permissionsDigest, masterKeyIds }, permissions);
    } catch (error) {
      await new TimeSlice(this.#clock).forEach(loading.created, (key) => this.#keyStore.discard(key));
      throw error;
    } finally {
      credentials.close();
    }
  }

  async #admitAll(credentials: CredentialSet, loading: Loading): Promise<void> {
    const slice = new TimeSlice(this.#clock);
    for await (const accounts of credentials.accounts) {
      const waiting = accounts.values();
      const admitSome = () => this.#admitSome(waiting, loading, slice);
      while (credentials.together(() => this.#together(admitSome))) await slice.yieldNow();
    }
    const { faults, accounts, refused } = loading;
    if (faults.isEmpty) return;
    const issues = faults.report(accounts.count() + refused);
    throw new CredentialLoadError(this.#source.location, [...issues, ...faults.rest]);
  }

  async #permissionsOf({ permissions }: CredentialSet): Promise<Permissions> {
    if (permissions === null) return new Permissions(null);
    const index = new PermissionIndex();
    await new TimeSlice(this.#clock).forEach(permissions, (entry) => index.add(entry));
    return new Permissions(index);
  }

  #together<Result>(work: () => Result): Result {
    return this.#keyStore.together === undefined ? work() : this.#keyStore.together(work);
  }

  /** Admits accounts until the slice has expired; returns whether there may be more. */
  #admitSome(waiting: Iterator<CredentialAccount>, loading: Loading, slice: TimeSlice): boolean {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      this.#admit(next.value, loading);
      if (slice.expired) return true;
    }
    return false;
  }

  #admit(credential: CredentialAccount, loading: Loading): void {
    const { previous, loadedAt, accounts, created } = loading;
    const known = knownAccount(previous, credential, accounts.count());
    const createdAt = credential.createdAt ?? known?.createdAt ?? loadedAt;
    try {
      const kept = keptKey(known, credential);
      if (known !== undefined && kept !== undefined && isSame(known, credential, createdAt)) accounts.add(known);
      else accounts.add(admittedAccount(credential, createdAt, kept ?? this.#admitKey(credential, created)));
    } catch (error) {
      loading.refused += 1;
      for (const issue of issuesOf(error, credential)) loading.faults.add(issue, accountOf(issue, credential));
    }
  }

  #admitKey(credential: CredentialAccount, created: KeyHandle[]): AdmittedKey {
    const { platformId, accountId, algorithm, publicKey } = credential;
    const signer = this.#signers[algorithm];
    return credential.withPrivateKey(signer.privateKeyLengths, (privateKey) => {
      const key = admitKey(this.#keyStore, signer, { platformId, accountId, algorithm }, privateKey, publicKey);
      created.push(key.handle);
      return key;
    });
  }
}

/** The account as it was before; looked for first at the place where it is if no other came or went, which takes no look-up. */
function knownAccount(previous: Registry, credential: CredentialAccount, place: number): Account | undefined {
  const { platformId, accountId } = credential;
  const there = previous.accounts()[place];
  if (there?.accountId === accountId && there.platformId === platformId) return there;
  return previous.account(platformId, accountId);
}

/** The key of the account as it was admitted before, if it is certain that it is still the same. */
function keptKey(known: Account | undefined, credential: CredentialAccount): AdmittedKey | undefined {
  if (known?.keyRevision === undefined || known.keyRevision !== credential.keyRevision) return undefined;
  if (known.algorithm !== credential.algorithm) return undefined;
  if (credential.publicKey !== null && credential.publicKey !== known.publicKey) return undefined;
  return { handle: known.key, publicKey: known.publicKey, address: known.address };
}

/** Whether an account that keeps its key is the same in all: then both generations have it in common, as most of a hundred thousand are. */
function isSame(known: Account, credential: CredentialAccount, createdAt: string): boolean {
  return (
    known.createdAt === createdAt &&
    known.alias === credential.alias &&
    known.status === credential.status &&
    known.environment === credential.environment &&
    hasSameValues(known.values ?? {}, credential.values ?? {})
  );
}

/** Null for an issue that its source reports of another place. */
function accountOf({ path: place }: Issue, { path, platformId, accountId }: CredentialAccount): FaultyAccount | null {
  if (!place.startsWith(path)) return null;
  return { path, name: `${platformId}/${accountId}`, field: place.slice(path.length) };
}

function issuesOf(error: unknown, credential: CredentialAccount): readonly Issue[] {
  if (error instanceof CredentialLoadError) return error.issues;
  if (error instanceof InvalidPrivateKeyError) return [{ path: `${credential.path}.key`, message: error.message }];
  throw error;
}
