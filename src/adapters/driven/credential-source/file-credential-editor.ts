import { realpath } from 'node:fs/promises';
import type { AccountProfile, AccountStatus } from '../../../domain/model/account.ts';
import { CredentialLoadError, EditRefusedError } from '../../../domain/model/errors.ts';
import type { Platform } from '../../../domain/model/platform.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { AccountDraft, CredentialEditor, CredentialListing, KeyOrigin } from '../../../ports/credential-editor.ts';
import { KeyFileError } from '../../../secure-memory/key-file-error.ts';
import { type CredentialsReading, currentRevision, readCredentialsFile, unreadable } from './credentials-file.ts';
import { accountSchema, platformSchema, type WrittenCredentials } from './credentials-schema.ts';
import {
  accountIndex,
  assertEntry,
  assertNewAccount,
  assertNewPlatform,
  assertSameMasterKey,
  quoted,
} from './edit-checks.ts';
import { accountFactsOf, platformOf } from './entry-defaults.ts';
import { withFileLock } from './file-lock.ts';
import { MasterKey } from './master-key.ts';
import { type NewKey, sealNewKey } from './new-key.ts';
import { replaceFile } from './replace-file.ts';

/** What a {@link FileCredentialEditor} is made of. */
export interface FileCredentialEditorOptions {
  /** Path of the credentials file. */
  readonly file: string;
  /** Path of the master key under which new keys are sealed. */
  readonly masterKeyFile: string;
}

/**
 * Edits the credentials file: under a lock, from what it says then, in one atomic and durable step. Entries that a change does not concern keep
 * their order and every field as it was written.
 */
export class FileCredentialEditor implements CredentialEditor {
  readonly location: string;
  readonly #masterKeyFile: string;

  constructor({ file, masterKeyFile }: FileCredentialEditorOptions) {
    this.location = file;
    this.#masterKeyFile = masterKeyFile;
  }

  /** @throws CredentialLoadError */
  async list(): Promise<CredentialListing> {
    const { content } = await readCredentialsFile(this.location);
    return { platforms: content.platforms.map(platformOf), accounts: content.accounts.map(accountFactsOf) };
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async addPlatform(platform: Platform): Promise<void> {
    assertEntry(platformSchema, platform);
    const { platformId, format, algorithms, encoding, payload } = platform;
    const entry = {
      platformId,
      format,
      algorithms: [...algorithms],
      ...(encoding === undefined ? {} : { encoding }),
      payload,
    };
    await this.#edit(({ content, written }) => {
      assertNewPlatform(content, platformId);
      return { ...written, platforms: [...written.platforms, entry] };
    });
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async addAccount(
    draft: AccountDraft,
    origin: KeyOrigin,
    privateKeyLength: number,
    derivePublicKey: (privateKey: SecretBytes) => string,
  ): Promise<AccountProfile> {
    const before = await readCredentialsFile(this.location);
    assertNewAccount(before.content, draft);
    // Outside of the lock: a keystore's scrypt can take a second.
    const { publicKey, sealed } = this.#withMasterKey((masterKey) => {
      assertSameMasterKey(before.content, this.#masterKeyFile, masterKey);
      return sealNewKey(masterKey, draft, origin, privateKeyLength, derivePublicKey);
    });

    const { platformId, accountId, alias, status, environment, algorithm, createdAt } = draft;
    const profile = { platformId, accountId, alias, status, environment, algorithm, publicKey, createdAt };
    const entry = { ...profile, key: { sealed } };
    assertEntry(accountSchema, entry);
    await this.#edit(({ content, written }) => {
      assertNewAccount(content, draft);
      return { ...written, accounts: [...written.accounts, entry] };
    });
    return profile;
  }

  /** @throws CredentialLoadError, EditRefusedError */
  async setStatus(platformId: string, accountId: string, status: AccountStatus): Promise<void> {
    await this.#edit(({ content, written }) => {
      const index = accountIndex(content, platformId, accountId);
      const entry = written.accounts[index];
      if (entry === undefined) {
        throw new EditRefusedError(
          `There is no account ${quoted(accountId)} on platform ${quoted(platformId)}; nothing was changed.`,
        );
      }
      return { ...written, accounts: written.accounts.with(index, { ...entry, status }) };
    });
  }

  async #edit(change: (reading: CredentialsReading) => WrittenCredentials): Promise<void> {
    const target = await realpath(this.location).catch((error: unknown) => {
      throw unreadable(this.location, error);
    });
    await withFileLock(target, async () => {
      const reading = await readCredentialsFile(this.location);
      const text = `${JSON.stringify(change(reading), null, 2)}\n`;
      await replaceFile(target, text, async () => {
        if ((await currentRevision(target)) === reading.revision) return;
        throw new EditRefusedError(
          `${this.location} was changed by someone else at the same moment; nothing was changed here. Run the command again.`,
        );
      });
    });
  }

  #withMasterKey(action: (masterKey: MasterKey) => NewKey): NewKey {
    const masterKey = this.#loadMasterKey();
    try {
      return action(masterKey);
    } finally {
      masterKey.destroy();
    }
  }

  #loadMasterKey(): MasterKey {
    try {
      return MasterKey.load(this.#masterKeyFile);
    } catch (error) {
      if (!(error instanceof KeyFileError)) throw error;
      throw new CredentialLoadError(this.location, [{ path: '', message: error.message }], error);
    }
  }
}
