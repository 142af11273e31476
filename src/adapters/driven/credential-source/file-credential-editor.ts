import { dirname } from 'node:path';
import type { AccountProfile, AccountStatus } from '../../../domain/model/account.ts';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { KeyLengths } from '../../../domain/model/key-lengths.ts';
import type { Platform } from '../../../domain/model/platform.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { SecretDecoding } from '../../../domain/model/secret-decoding.ts';
import type {
  AccountAddition,
  AccountDraft,
  AdditionOptions,
  AdditionOutcome,
  CredentialEditor,
  CredentialListing,
  KeyOrigin,
  StatusChange,
  StatusReach,
} from '../../../ports/credential-editor.ts';
import { type AccountEntry, accountSchema } from './account-schema.ts';
import { addAccounts } from './add-accounts.ts';
import type { CredentialsContent } from './credentials-schema.ts';
import {
  accountIndex,
  assertEntry,
  assertNewAccount,
  assertNewPlatform,
  assertReadableKeys,
  quoted,
} from './edit-checks.ts';
import { EditedCredentials } from './edited-credentials.ts';
import { accountFactsOf, platformOf } from './entry-defaults.ts';
import type { MasterKeyKeeper } from './master-key/master-key-keeper.ts';
import { lenderOf, newAccount, sealNewKey } from './new-key.ts';
import { platformSchema } from './platform-schema.ts';
import { findSameKey } from './same-key.ts';
import { secretDecodingOf } from './wanted-key.ts';

/** What a {@link FileCredentialEditor} is made of. */
export interface FileCredentialEditorOptions {
  /** Path of the credentials file. */
  readonly file: string;
  /** Opens the master key under which new keys are sealed. */
  readonly masterKeys: MasterKeyKeeper;
}

/**
 * Edits the credentials file: under a lock, from what it says then, in one atomic and durable step. Entries that a change does not concern keep
 * their order and every field as it was written.
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
    const { platforms, accounts, permissions = null } = content;
    return { platforms: platforms.map(platformOf), accounts: accounts.map(accountFactsOf), permissions };
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async addPlatform(platform: Platform): Promise<void> {
    assertEntry(platformSchema, platform);
    const { platformId, format, algorithms, encoding, payload, audit, secretDecoding, verify } = platform;
    const entry = {
      platformId,
      format,
      algorithms: [...algorithms],
      ...(encoding === undefined ? {} : { encoding }),
      payload,
      ...(audit === undefined ? {} : { audit: { clear: [...audit.clear] } }),
      ...(secretDecoding === undefined ? {} : { secretDecoding }),
      ...(verify === undefined ? {} : { verify }),
    };
    await this.#credentials.edit(({ content, written }) => {
      assertNewPlatform(content, platformId);
      return { ...written, platforms: [...written.platforms, entry] };
    });
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async addAccount(
    draft: AccountDraft,
    origin: KeyOrigin,
    lengths: KeyLengths,
    derivePublicKey: (privateKey: SecretBytes) => string,
  ): Promise<AccountProfile> {
    const added = await this.#tryToAdd(draft, origin, lengths, derivePublicKey);
    // A rotation of the master key came between, or another secretDecoding of the platform: once more, as it is now.
    return added ?? this.addAccount(draft, origin, lengths, derivePublicKey);
  }

  /** @throws CredentialLoadError, EditRefusedError when keys in the file are sealed under a master key that is not at hand, or it can't be written */
  addAccounts(additions: readonly AccountAddition[], options: AdditionOptions): Promise<AdditionOutcome> {
    return addAccounts(this.#credentials, additions, options);
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async setStatus(
    platformId: string,
    accountId: string,
    status: AccountStatus,
    reach: StatusReach = 'account',
  ): Promise<StatusChange> {
    let change: StatusChange = { sameKey: [], uncompared: [] };
    await this.#credentials.edit(({ content, written }) => {
      const index = existingIndex(content, platformId, accountId);
      const { sameKey, uncompared } = findSameKey(content.accounts, index, dirname(this.location));
      const changed = new Set(reach === 'same-key' ? [index, ...sameKey] : [index]);
      change = {
        sameKey: sameKey.map((at) => {
          const { status: before, ...other } = accountFactsOf(content.accounts[at] as AccountEntry);
          const { platformId, accountId, algorithm } = other;
          return { platformId, accountId, algorithm, status: changed.has(at) ? status : before };
        }),
        uncompared: uncompared.map((at) => {
          const { platformId, accountId } = content.accounts[at] as AccountEntry;
          return { platformId, accountId };
        }),
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
            'Disable it first with `signing-service account disable`, and see that nobody misses it: its key is gone once it is removed.',
        );
      }
      return { ...written, accounts: written.accounts.toSpliced(index, 1) };
    });
  }

  /** The added account, or undefined when what its key was read or sealed by was replaced before it could be written: then nothing was changed. */
  async #tryToAdd(
    draft: AccountDraft,
    origin: KeyOrigin,
    lengths: KeyLengths,
    derivePublicKey: (privateKey: SecretBytes) => string,
  ): Promise<AccountProfile | undefined> {
    const before = await this.#credentials.read();
    assertNewAccount(before.content, draft);
    const secretDecoding = secretDecodingFor(before.content, draft.platformId);
    const lend = lenderOf(origin, { algorithm: draft.algorithm, lengths, secretDecoding });
    // Outside of the lock: a keystore's scrypt can take a second, and a passphrase as long as a person takes to type it.
    const masterKeys = await this.#credentials.openMasterKeys();
    try {
      const key = sealNewKey(masterKeys.primary, draft, lend, derivePublicKey);
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
  return secretDecodingOf(platforms.find((entry) => entry.platformId === platformId));
}

/** Place of an account in the file. @throws EditRefusedError when it has none */
function existingIndex(content: CredentialsContent, platformId: string, accountId: string): number {
  const index = accountIndex(content, platformId, accountId);
  if (index !== -1) return index;
  throw new EditRefusedError(
    `There is no account ${quoted(accountId)} on platform ${quoted(platformId)}; nothing was changed.`,
  );
}
