import type { CredentialAccount, CredentialSet } from '../../ports/credential-source.ts';
import type { Ports } from '../../ports/ports.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import { type Account, type KeyHandle, toAccountName } from '../model/account.ts';
import { AccountIssues, type InvalidAccount } from '../model/account-issues.ts';
import { CredentialLoadError, InvalidPrivateKeyError, type Issue } from '../model/errors.ts';
import { PermissionIndex, Permissions } from '../model/permissions.ts';
import type { Policies } from '../model/policy.ts';
import { AccountIndex, Registry } from '../model/registry.ts';
import { listChangedFields } from './difference.ts';
import { admitKey, type IdentifiedKey, toAccount, toKeyId } from './key-admission.ts';
import type { PolicyCompiler } from './policy-compiler.ts';

/** State of a load. */
interface Loading {
  readonly previous: Registry;
  readonly loadedAt: string;
  readonly accounts: AccountIndex;
  /** New keys, to discard if the load fails. */
  readonly created: KeyHandle[];
  readonly issues: AccountIssues<Issue>;
  /** Number of refused accounts. */
  refused: number;
}

type Parts = Pick<Ports, 'source' | 'keyStore' | 'signers' | 'clock' | 'hasher'> & {
  readonly compiler: PolicyCompiler;
};

/**
 * Loads a complete new generation in slices, aside from the one in force: every key opened, tested
 * and stored. Keys with an unchanged revision are reused.
 */
export class RegistryLoader {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Path of the configuration. */
  get location(): string {
    return this.#parts.source.location;
  }

  /**
   * Loads everything. Takes unchanged keys and missing creation times from
   * `previous`; new accounts get `loadedAt`.
   * @throws CredentialLoadError with all issues; OperatorError if keys cannot be opened or decoded;
   * the failed load keeps no key
   */
  async load(previous: Registry, loadedAt: string): Promise<Registry> {
    const credentials = await this.#parts.source.load();
    const loading: Loading = {
      previous,
      loadedAt,
      accounts: new AccountIndex(),
      created: [],
      issues: new AccountIssues(),
      refused: 0,
    };
    try {
      await this.#admitAll(credentials, loading);
      const permissions = await this.#loadPermissions(credentials);
      const policies = await this.#compilePolicies(credentials);
      const { platforms, digest, permissionsDigest, policiesDigest, budgetsDigest, masterKeyIds } = credentials;
      const origin = { digest, permissionsDigest, policiesDigest, budgetsDigest, masterKeyIds };
      return new Registry(platforms, loading.accounts, origin, permissions, policies);
    } catch (error) {
      await new TimeSlice(this.#parts.clock).forEach(loading.created, (key) => this.#parts.keyStore.discard(key));
      throw error;
    } finally {
      credentials.close();
    }
  }

  async #admitAll(credentials: CredentialSet, loading: Loading): Promise<void> {
    const slice = new TimeSlice(this.#parts.clock);
    for await (const accounts of credentials.accounts) {
      await credentials.prepareKeys(accounts.filter(this.#needsKey(loading)));
      const waiting = accounts.values();
      const admitSome = () => this.#admitSome(credentials, waiting, loading, slice);
      while (credentials.together(() => this.#inOneOpening(admitSome))) await slice.yieldNow();
    }
    const { issues, accounts, refused } = loading;
    if (issues.isEmpty) return;
    const reported = issues.report(accounts.count() + refused);
    throw new CredentialLoadError(this.#parts.source.location, [...reported, ...issues.rest]);
  }

  async #loadPermissions({ permissions }: CredentialSet): Promise<Permissions> {
    if (permissions === null) return new Permissions(null);
    const index = new PermissionIndex();
    await new TimeSlice(this.#parts.clock).forEach(permissions, (entry) => index.add(entry));
    return new Permissions(index);
  }

  async #compilePolicies({ policies, platforms, budgets }: CredentialSet): Promise<Policies> {
    const compiled = await this.#parts.compiler.compile(policies, platforms, new TimeSlice(this.#parts.clock), budgets);
    if (compiled.ok) return compiled.value;
    throw new CredentialLoadError(this.#parts.source.location, compiled.refusal);
  }

  #inOneOpening<Result>(work: () => Result): Result {
    return this.#parts.keyStore.together === undefined ? work() : this.#parts.keyStore.together(work);
  }

  /** Admits accounts until the slice expires; returns whether there may be more. */
  #admitSome(
    credentials: CredentialSet,
    waiting: Iterator<CredentialAccount>,
    loading: Loading,
    slice: TimeSlice,
  ): boolean {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      this.#admit(credentials, next.value, loading);
      if (slice.expired) return true;
    }
    return false;
  }

  /** Whether the key of an account of the next group has to be opened. */
  #needsKey({ previous, accounts }: Loading): (credential: CredentialAccount, offset: number) => boolean {
    const first = accounts.count();
    return (credential, offset) =>
      getReusableKey(findExisting(previous, credential, first + offset), credential) === undefined;
  }

  #admit(credentials: CredentialSet, credential: CredentialAccount, loading: Loading): void {
    const { previous, loadedAt, accounts, created } = loading;
    const existing = findExisting(previous, credential, accounts.count());
    const createdAt = credential.account.createdAt ?? existing?.createdAt ?? loadedAt;
    try {
      const reusable = getReusableKey(existing, credential);
      if (existing !== undefined && reusable !== undefined && isSame(existing, credential, createdAt))
        accounts.add(existing);
      else accounts.add(toAccount(credential, createdAt, reusable ?? this.#admitKey(credentials, credential, created)));
    } catch (error) {
      loading.refused += 1;
      for (const issue of getIssues(error, credential)) loading.issues.add(issue, toInvalidAccount(issue, credential));
    }
  }

  #admitKey(credentials: CredentialSet, credential: CredentialAccount, created: KeyHandle[]): IdentifiedKey {
    const { platformId, accountId, algorithm, publicKey } = credential.account;
    const signer = this.#parts.signers[algorithm];
    return credentials.withPrivateKey(credential, (privateKey) => {
      const key = admitKey(this.#parts.keyStore, signer, { platformId, accountId, algorithm }, privateKey, publicKey);
      created.push(key.handle);
      return { ...key, keyId: toKeyId(this.#parts.hasher, { algorithm, publicKey: key.publicKey }) };
    });
  }
}

/** The account's previous version; tries the same index first, which takes no lookup. */
function findExisting(previous: Registry, credential: CredentialAccount, index: number): Account | undefined {
  const { platformId, accountId } = credential.account;
  const candidate = previous.accounts()[index];
  if (candidate?.accountId === accountId && candidate.platformId === platformId) return candidate;
  return previous.account(platformId, accountId);
}

/** The previous key, if it is certainly unchanged. */
function getReusableKey(existing: Account | undefined, credential: CredentialAccount): IdentifiedKey | undefined {
  if (existing?.keyRevision === undefined || existing.keyRevision !== credential.keyRevision) return undefined;
  const { algorithm, publicKey: expected } = credential.account;
  if (existing.algorithm !== algorithm) return undefined;
  if (expected !== null && expected !== existing.publicKey) return undefined;
  const { key, publicKey, address, keyId } = existing;
  return { handle: key, publicKey, address, keyId };
}

/**
 * Whether an account with its previous key is unchanged, so that both generations share it. Field
 * by field, as most of 100,000 accounts are.
 */
function isSame(existing: Account, { account }: CredentialAccount, createdAt: string): boolean {
  return (
    existing.createdAt === createdAt &&
    existing.alias === account.alias &&
    existing.status === account.status &&
    existing.environment === account.environment &&
    existing.overlapSeconds === account.overlapSeconds &&
    listChangedFields(existing.values ?? {}, account.values ?? {}).length === 0
  );
}

/** Null for an issue outside this account. */
function toInvalidAccount(issue: Issue, { account, path }: CredentialAccount): InvalidAccount | null {
  if (!issue.path.startsWith(path)) return null;
  return { path, name: toAccountName(account), field: issue.path.slice(path.length) };
}

function getIssues(error: unknown, credential: CredentialAccount): readonly Issue[] {
  if (error instanceof CredentialLoadError) return error.issues;
  if (error instanceof InvalidPrivateKeyError) return [{ path: `${credential.path}.key`, message: error.message }];
  throw error;
}
