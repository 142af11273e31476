import { dirname } from 'node:path';
import type {
  AccountProfile,
  AccountStatus,
  KeyLengths,
  SecretBytes,
  SecretDecoding,
} from '../../../domain/model/account.ts';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { Platform } from '../../../domain/model/platform.ts';
import type { PolicyEntry } from '../../../domain/model/policy.ts';
import type {
  AccountAddition,
  AccountChange,
  AccountDetails,
  AccountDraft,
  AccountEdit,
  AdditionOptions,
  AdditionOutcome,
  CredentialEditor,
  CredentialListing,
  KeyOrigin,
  KeyReplacement,
  SignPassphrase,
  StatusChange,
  StatusScope,
  UncomparedAccount,
} from '../../../ports/credential-editor.ts';
import { getAccountFacts, getSecretDecoding, toPlatform } from '../entry-defaults.ts';
import type { MasterKeyStore } from '../master-key/master-key-store.ts';
import { type AccountEntry, accountSchema } from '../schema/account-schema.ts';
import type { CredentialsContent, WrittenCredentials } from '../schema/credentials-schema.ts';
import { policySchema } from '../schema/policy-schema.ts';
import { findDetails } from './account-details.ts';
import { editAccount } from './edit-account.ts';
import {
  assertEntry,
  assertNewAccount,
  assertNewPlatform,
  assertNewPolicies,
  assertNoAccounts,
  assertPlatform,
  assertPlatformEntry,
  assertReadableKeys,
  existingIndex,
  quoted,
} from './edit-checks.ts';
import { EditedCredentials } from './edited-credentials.ts';
import { findSameKey } from './same-key.ts';

type WrittenPlatform = WrittenCredentials['platforms'][number];

function withPolicies(written: WrittenCredentials, added: readonly PolicyEntry[]): WrittenCredentials {
  return { ...written, policies: [...(written.policies ?? []), ...added.map(toWritten)] };
}

function toWritten({ accounts, principals, ...policy }: PolicyEntry) {
  const copy = { ...policy, accounts: [...accounts] };
  return principals === undefined ? copy : { ...copy, principals: [...principals] };
}

interface FileCredentialEditorOptions {
  /** Path of the credentials file. */
  readonly file: string;
  /** Opens the key that seals new keys. */
  readonly masterKeys: MasterKeyStore;
}

/**
 * Edits the credentials file under a lock, atomically and durably. Other entries keep order and
 * text. What makes and seals keys is loaded by the methods that need it.
 */
export class FileCredentialEditor implements CredentialEditor {
  readonly location: string;
  readonly #credentials: EditedCredentials;

  constructor({ file, masterKeys }: FileCredentialEditorOptions) {
    this.location = file;
    this.#credentials = new EditedCredentials(file, masterKeys);
  }

  /** @throws CredentialLoadError */
  async list(): Promise<CredentialListing> {
    const { content } = await this.#credentials.read();
    const { platforms, accounts, permissions = null, policies = [], budgets = [] } = content;
    const listed = { platforms: platforms.map(toPlatform), accounts: accounts.map(getAccountFacts) };
    return { ...listed, permissions, policies, budgets };
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async addPlatform(platform: Platform, policies: readonly PolicyEntry[] = []): Promise<void> {
    await assertPlatformEntry(platform);
    for (const policy of policies) assertEntry(policySchema, policy);
    const { platformId, format, algorithms, encoding, payload, rules, audit, secretDecoding, verify, status } =
      platform;
    const entry = {
      platformId,
      format,
      algorithms: [...algorithms],
      ...(encoding === undefined ? {} : { encoding }),
      payload,
      ...(rules === undefined ? {} : { rules: { ...rules } }),
      ...(audit === undefined ? {} : { audit: { clear: [...audit.clear] } }),
      ...(secretDecoding === undefined ? {} : { secretDecoding }),
      ...(verify === undefined ? {} : { verify }),
      ...(status === undefined ? {} : { status }),
    };
    await this.#credentials.edit(({ content, written }) => {
      assertNewPlatform(content, platformId);
      assertNewPolicies(content, policies);
      const changed = { ...written, platforms: [...written.platforms, entry] };
      return policies.length === 0 ? changed : withPolicies(changed, policies);
    });
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async addPolicies(policies: readonly PolicyEntry[]): Promise<void> {
    for (const policy of policies) assertEntry(policySchema, policy);
    await this.#credentials.edit(({ content, written }) => {
      assertNewPolicies(content, policies);
      return withPolicies(written, policies);
    });
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async removePlatform(platformId: string): Promise<void> {
    await this.#credentials.edit(({ content, written }) => {
      assertPlatform(content, platformId);
      assertNoAccounts(content, platformId);
      return { ...written, platforms: written.platforms.filter((entry) => entry.platformId !== platformId) };
    });
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async setPlatformStatus(platformId: string, status: AccountStatus): Promise<void> {
    await this.#credentials.edit(({ content, written }) => {
      assertPlatform(content, platformId);
      const platforms = written.platforms.map((entry) =>
        entry.platformId === platformId ? withStatus(entry, status) : entry,
      );
      return { ...written, platforms };
    });
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async addAccount(
    draft: AccountDraft,
    origin: KeyOrigin,
    lengths: KeyLengths,
    derivePublicKey: (privateKey: SecretBytes) => string,
    signPassphrase?: SignPassphrase,
  ): Promise<AccountProfile> {
    const added = await this.#tryToAdd({ draft, origin, lengths, derivePublicKey }, signPassphrase);
    // Retry after a concurrent rotation or change of the platform's secretDecoding.
    return added ?? this.addAccount(draft, origin, lengths, derivePublicKey, signPassphrase);
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async addAccounts(additions: readonly AccountAddition[], options: AdditionOptions): Promise<AdditionOutcome> {
    const { addAccounts } = await import('./add-accounts.ts');
    return addAccounts(this.#credentials, additions, options);
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async showAccount(platformId: string, accountId: string): Promise<AccountDetails> {
    const { content } = await this.#credentials.read();
    return findDetails(content, platformId, accountId);
  }

  /** @throws CredentialLoadError, EditRefusedError */
  editAccount(platformId: string, accountId: string, edit: AccountEdit): Promise<AccountChange> {
    return editAccount(this.#credentials, { platformId, accountId, ...edit });
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async replaceKey(replacement: KeyReplacement): Promise<AccountChange> {
    const { replaceKey } = await import('./replace-key.ts');
    return replaceKey(this.#credentials, replacement);
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async setStatus(
    platformId: string,
    accountId: string,
    status: AccountStatus,
    reach: StatusScope = 'account',
  ): Promise<StatusChange> {
    let change: StatusChange = { sameKey: [], uncompared: [] };
    await this.#credentials.edit(({ content, written }) => {
      const index = existingIndex(content, platformId, accountId);
      const { sameKey, uncompared, otherHmac } = findSameKey(content.accounts, index, dirname(this.location));
      const changed = new Set(reach === 'same-key' ? [index, ...sameKey] : [index]);
      const unsure = (places: readonly number[], reason: UncomparedAccount['reason']) =>
        places.map((at) => {
          const { platformId, accountId } = content.accounts[at] as AccountEntry;
          return { platformId, accountId, reason };
        });
      change = {
        sameKey: sameKey.map((at) => {
          const { status: before, ...other } = getAccountFacts(content.accounts[at] as AccountEntry);
          const { platformId, accountId, algorithm } = other;
          return { platformId, accountId, algorithm, status: changed.has(at) ? status : before };
        }),
        uncompared: [
          ...unsure(uncompared, 'no-public-key'),
          ...(reach === 'same-key' ? unsure(otherHmac, 'other-hmac') : []),
        ],
      };
      const accounts = written.accounts.map((entry, at) => (changed.has(at) ? { ...entry, status } : entry));
      return { ...written, accounts };
    });
    return change;
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async removeAccount(platformId: string, accountId: string): Promise<void> {
    await this.#credentials.edit(({ content, written }) => {
      const index = existingIndex(content, platformId, accountId);
      if (content.accounts[index]?.status === 'active') {
        throw new EditRefusedError(
          `Account ${quoted(accountId)} on platform ${quoted(platformId)} is active; nothing was changed. ` +
            'Disable it first with `signing-service account disable`, and make sure that it is no longer needed: removing it destroys its key.',
        );
      }
      return { ...written, accounts: written.accounts.toSpliced(index, 1) };
    });
  }

  /** Undefined, and nothing changed, if master key or secretDecoding changed meanwhile. */
  async #tryToAdd(
    { draft, origin, lengths, derivePublicKey }: AccountAddition,
    signPassphrase: SignPassphrase | undefined,
  ): Promise<AccountProfile | undefined> {
    const { createKeyProvider, newAccount, sealNewKey } = await import('./new-key.ts');
    const before = await this.#credentials.read();
    assertNewAccount(before.content, draft);
    const secretDecoding = secretDecodingFor(before.content, draft.platformId);
    const withKey = createKeyProvider(origin, { algorithm: draft.algorithm, lengths, secretDecoding });
    // Before locking: scrypt can take a second, and typing a passphrase longer.
    const masterKeys = await this.#credentials.openMasterKeys();
    try {
      const key = sealNewKey(masterKeys.primary, draft, origin, withKey, derivePublicKey, signPassphrase);
      const { profile, entry } = newAccount(draft, key);
      assertEntry(accountSchema, entry);
      const isWritten = await this.#credentials.edit(({ content, written }) => {
        assertNewAccount(content, draft);
        if (!this.#credentials.isPrimary(masterKeys)) return undefined;
        if (secretDecodingFor(content, draft.platformId) !== secretDecoding) return undefined;
        assertReadableKeys(content, masterKeys);
        return { ...written, accounts: [...written.accounts, entry] };
      });
      return isWritten ? profile : undefined;
    } finally {
      masterKeys.close();
    }
  }
}

function secretDecodingFor({ platforms }: CredentialsContent, platformId: string): SecretDecoding {
  return getSecretDecoding(platforms.find((entry) => entry.platformId === platformId));
}

/** The entry with its status, which is absent when active. */
function withStatus(entry: WrittenPlatform, status: AccountStatus): WrittenPlatform {
  const { status: _, ...others } = entry;
  return status === 'active' ? others : { ...entry, status };
}
