import { realpath } from 'node:fs/promises';
import type { AccountProfile, AccountStatus } from '../../../domain/model/account.ts';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { KeyLengths } from '../../../domain/model/key-lengths.ts';
import type { Platform } from '../../../domain/model/platform.ts';
import type { SecretBytes } from '../../../domain/model/secret-bytes.ts';
import type { SecretDecoding } from '../../../domain/model/secret-decoding.ts';
import type { AccountDraft, CredentialEditor, CredentialListing, KeyOrigin } from '../../../ports/credential-editor.ts';
import { accountSchema } from './account-schema.ts';
import { type CredentialsReading, readCredentialsFile, unreadable } from './credentials-file.ts';
import type { CredentialsContent, WrittenCredentials } from './credentials-schema.ts';
import {
  accountIndex,
  assertEntry,
  assertNewAccount,
  assertNewPlatform,
  assertReadableKeys,
  quoted,
} from './edit-checks.ts';
import { accountFactsOf, platformOf } from './entry-defaults.ts';
import { withFileLock } from './files/file-lock.ts';
import { replaceFile } from './files/replace-file.ts';
import type { MasterKeyKeeper } from './master-key/master-key-keeper.ts';
import { asLoadError } from './master-key/master-key-load-error.ts';
import type { MasterKeyRing } from './master-key/master-key-ring.ts';
import { lenderOf, sealNewKey } from './new-key.ts';
import { platformSchema } from './platform-schema.ts';
import { secretDecodingOf } from './wanted-key.ts';
import { assertUnchanged, credentialsText } from './write-credentials.ts';

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
  readonly #masterKeys: MasterKeyKeeper;

  constructor({ file, masterKeys }: FileCredentialEditorOptions) {
    this.location = file;
    this.#masterKeys = masterKeys;
  }

  /** @throws CredentialLoadError */
  async list(): Promise<CredentialListing> {
    const { content } = await readCredentialsFile(this.location);
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
    await this.#edit(({ content, written }) => {
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

  /** The added account, or undefined when what its key was read or sealed by was replaced before it could be written: then nothing was changed. */
  async #tryToAdd(
    draft: AccountDraft,
    origin: KeyOrigin,
    lengths: KeyLengths,
    derivePublicKey: (privateKey: SecretBytes) => string,
  ): Promise<AccountProfile | undefined> {
    const before = await readCredentialsFile(this.location);
    assertNewAccount(before.content, draft);
    const secretDecoding = secretDecodingFor(before.content, draft.platformId);
    const lend = lenderOf(origin, { algorithm: draft.algorithm, lengths, secretDecoding });
    // Outside of the lock: a keystore's scrypt can take a second, and a passphrase as long as a person takes to type it.
    const masterKeys = await this.#openMasterKeys();
    try {
      const { publicKey, sealed } = sealNewKey(masterKeys.primary, draft, lend, derivePublicKey);
      const { platformId, accountId, alias, status, environment, algorithm, createdAt, values } = draft;
      const profile = {
        ...{ platformId, accountId, alias, status, environment, algorithm, publicKey, createdAt },
        ...(values === undefined ? {} : { values }),
      };
      const entry = { ...profile, key: { sealed } };
      assertEntry(accountSchema, entry);
      const isWritten = await this.#edit(({ content, written }) => {
        assertNewAccount(content, draft);
        if (this.#primaryId() !== masterKeys.primaryId) return undefined;
        if (secretDecodingFor(content, draft.platformId) !== secretDecoding) return undefined;
        assertReadableKeys(content, masterKeys);
        return { ...written, accounts: [...written.accounts, entry] };
      });
      return isWritten ? profile : undefined;
    } finally {
      masterKeys.close();
    }
  }

  /** Writes what `change` makes of the file as it is; false when that is undefined, and nothing was written. */
  async #edit(change: (reading: CredentialsReading) => WrittenCredentials | undefined): Promise<boolean> {
    const target = await realpath(this.location).catch((error: unknown) => {
      throw unreadable(this.location, error);
    });
    return withFileLock(target, async () => {
      const reading = await readCredentialsFile(this.location);
      const changed = change(reading);
      if (changed === undefined) return false;
      await replaceFile(target, credentialsText(changed), () => assertUnchanged(this.location, reading.revision));
      return true;
    });
  }

  async #openMasterKeys(): Promise<MasterKeyRing> {
    try {
      return await this.#masterKeys.openPrimary();
    } catch (error) {
      throw asLoadError(this.location, error);
    }
  }

  #primaryId(): string {
    try {
      return this.#masterKeys.primaryId();
    } catch (error) {
      throw asLoadError(this.location, error);
    }
  }
}

function secretDecodingFor({ platforms }: CredentialsContent, platformId: string): SecretDecoding {
  return secretDecodingOf(platforms.find((entry) => entry.platformId === platformId));
}
