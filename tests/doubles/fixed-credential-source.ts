import { createHash } from 'node:crypto';
import { getKeyLengths } from '../../src/domain/model/account.ts';
import type { Algorithm } from '../../src/domain/model/algorithm.ts';
import type { ConfiguredAccount } from '../../src/domain/model/configured-account.ts';
import { CredentialLoadError, type Issue } from '../../src/domain/model/errors.ts';
import type { JsonValue } from '../../src/domain/model/json.ts';
import type { PermissionEntry } from '../../src/domain/model/permissions.ts';
import type { Platform } from '../../src/domain/model/platform.ts';
import type { BudgetEntry, PolicyEntry } from '../../src/domain/model/policy.ts';
import { canonicalJson } from '../../src/domain/model/text/jcs.ts';
import type { CredentialAccount, CredentialSet, CredentialSource } from '../../src/ports/credential-source.ts';

/** An account with its private key in plain memory: test keys only. */
export type FixedAccount = Omit<ConfiguredAccount, 'key'> & {
  readonly privateKey: Uint8Array;
  readonly keyRevision?: string;
};

export interface FixedConfiguration {
  readonly platforms: readonly Platform[];
  readonly accounts: readonly FixedAccount[];
  /** Absent: no list. */
  readonly permissions?: readonly PermissionEntry[];
  /** Absent: none. */
  readonly policies?: readonly PolicyEntry[];
  /** Absent: none. */
  readonly budgets?: readonly BudgetEntry[];
}

/** A CredentialSource with a constant configuration or constant issues. Never for real keys. */
export class FixedCredentialSource implements CredentialSource {
  readonly location = 'fixed-credentials';
  readonly files = [this.location];
  readonly #configuration: FixedConfiguration;
  readonly #issues: readonly Issue[];

  constructor(configuration: FixedConfiguration, issues: readonly Issue[] = []) {
    this.#configuration = configuration;
    this.#issues = issues;
  }

  onFiles(): void {
    // No files.
  }

  async load(): Promise<CredentialSet> {
    if (this.#issues.length > 0) throw new CredentialLoadError(this.location, this.#issues);
    let closed = false;
    const openKey = (path: string, key: Uint8Array, algorithm: Algorithm) => {
      const { min, max } = getKeyLengths(algorithm);
      if (!closed && key.length >= min && key.length <= max) return Uint8Array.from(key);
      const message = closed ? 'is out of reach: this set was closed' : `has ${key.length} bytes`;
      throw new CredentialLoadError(this.location, [{ path: `${path}.key`, message }]);
    };
    return {
      platforms: this.#configuration.platforms,
      permissions: this.#configuration.permissions ?? null,
      policies: this.#configuration.policies ?? [],
      budgets: this.#configuration.budgets ?? [],
      accounts: oneByOne(
        this.#configuration.accounts.map(({ privateKey: _, keyRevision, ...account }, index) => ({
          account: { ...account, key: { plaintext: '-' } },
          path: `accounts[${index}]`,
          keyRevision,
        })),
      ),
      digest: this.#digestNow(),
      permissionsDigest: digestOf(this.#configuration.permissions ?? null),
      policiesDigest: digestOf(this.#configuration.policies?.length ? this.#configuration.policies : null),
      budgetsDigest: digestOf(this.#configuration.budgets?.length ? this.#configuration.budgets : null),
      masterKeyIds: [],
      prepareKeys: async () => undefined,
      withPrivateKey: ({ account: { algorithm }, path }, use) => {
        const account = this.#configuration.accounts[Number(/\d+/.exec(path)?.[0])];
        return useAndWipe(openKey(path, account?.privateKey ?? new Uint8Array(), algorithm), use);
      },
      together: (work) => work(),
      close: () => {
        closed = true;
      },
    };
  }

  async digest(): Promise<string | null> {
    return this.#issues.length > 0 ? null : this.#digestNow();
  }

  #digestNow(): string {
    const text = JSON.stringify(this.#configuration, (name, value: unknown) => (name === 'privateKey' ? null : value));
    return sha256(text);
  }
}

function digestOf(entries: readonly object[] | null): string | null {
  return entries === null ? null : sha256(canonicalJson(entries as unknown as JsonValue));
}

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function useAndWipe<Result>(bytes: Uint8Array, use: (bytes: Uint8Array) => Result): Result {
  try {
    const result = use(bytes);
    if (result instanceof Promise) throw new TypeError('A secret can only be used synchronously.');
    return result;
  } finally {
    bytes.fill(0);
  }
}

async function* oneByOne(accounts: readonly CredentialAccount[]): AsyncGenerator<readonly CredentialAccount[]> {
  for (const account of accounts) yield [account];
}
