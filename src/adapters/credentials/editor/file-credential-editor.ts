import { dirname, resolve } from 'node:path';
import { type CredentialIssue, invalidAccount, renderPath } from '../../../domain/configuration/credential-issue.ts';
import type { CredentialsContent, WrittenCredentials } from '../../../domain/configuration/credentials-schema.ts';
import type { KeySource } from '../../../domain/model/configured-account.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import type {
  CredentialEditor,
  CredentialListing,
  Edit,
  Edited,
  EditOptions,
  EditTools,
  KeyLocation,
  WrittenEntries,
} from '../../../ports/credential-editor.ts';
import { withFileLock } from '../../files/file-lock.ts';
import {
  assertUnchanged,
  changedMeanwhile,
  currentRevision,
  readCredentialsFile,
  replaceCredentialsFile,
  resolveLinks,
} from '../credentials-file.ts';
import type { Keyring } from '../keyring/keyring.ts';
import type { MasterKey } from '../keyring/master-key.ts';
import { getSealingKeyId } from '../sealed-key-text.ts';
import { validateCredentials } from '../validate-credentials.ts';

interface FileCredentialEditorOptions {
  /** Path of the credentials file. */
  readonly file: string;
  /** Its first key seals new keys. */
  readonly keyring: Keyring;
}

/** Changes of other processes that an edit survives. */
const MAX_ATTEMPTS = 50;

/**
 * Edits the credentials file: computes a document from the one that is there, validates it as a load
 * would, and writes it durably. The lock is held only for the write: an edit may decode keys or wait
 * for a passphrase, while others can stop an account.
 */
export class FileCredentialEditor implements CredentialEditor {
  readonly location: string;
  readonly #keyring: Keyring;

  constructor({ file, keyring }: FileCredentialEditorOptions) {
    this.location = file;
    this.#keyring = keyring;
  }

  async list(): Promise<CredentialListing> {
    return this.#toListing((await readCredentialsFile(this.location)).content);
  }

  async edit(change: Edit, { check, dryRun = false }: EditOptions = {}): Promise<Edited> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const { content, written, revision } = await readCredentialsFile(this.location);
      const before = this.#toListing(content);
      let masterKey: MasterKey | undefined;
      const tools: EditTools = {
        findIssues: (entries) => validateCredentials(entries).issues.map(toAccountIssue),
        makeKeys: async (requests, { seal, onProgress }) => {
          masterKey = seal ? await this.#keyring.openFirst(content) : undefined;
          const { makeKeys } = await import('./new-keys.ts');
          return makeKeys(requests, masterKey, onProgress);
        },
      };
      const edited = await change(written as WrittenEntries, before, tools);
      if (edited === written) return { before, after: before };
      const document = edited as WrittenCredentials;
      const after = this.#toListing(assertValid(document));
      await check?.(after);
      // A retirement for this file may have removed the master key; it has the same lock.
      const isCurrent = () => masterKey === undefined || this.#keyring.has(masterKey.id);
      if (dryRun || (await this.#replace(revision, document, isCurrent))) return { before, after };
    }
    throw changedMeanwhile(this.location);
  }

  /** Returns false, without a change, if the edit was made for what is there no longer. */
  async #replace(revision: string, document: WrittenCredentials, isCurrent: () => boolean): Promise<boolean> {
    const target = await resolveLinks(this.location);
    return withFileLock(target, async () => {
      if ((await currentRevision(this.location)) !== revision || !isCurrent()) return false;
      await replaceCredentialsFile(target, document, () => assertUnchanged(this.location, revision));
      return true;
    });
  }

  #toListing({ accounts, ...content }: CredentialsContent): CredentialListing {
    const { platforms, permissions = null, policies = [], budgets = [] } = content;
    const folder = dirname(this.location);
    const listed = accounts.map(({ key, ...account }) => ({ ...account, key: toKeyLocation(key, folder) }));
    return { platforms, accounts: listed, permissions, policies, budgets };
  }
}

/** Without the sealed or plaintext key. */
function toKeyLocation(key: KeySource, folder: string): KeyLocation {
  if ('sealed' in key) return { kind: 'sealed', masterKeyId: getSealingKeyId(key.sealed) };
  return 'plaintext' in key ? { kind: 'plaintext' } : { kind: 'file', ...key, file: resolve(folder, key.file) };
}

function toAccountIssue({ path: [list, index, ...field], message, shared }: CredentialIssue) {
  if (list !== 'accounts' || typeof index !== 'number') throw new Error('Only accounts can have issues.');
  return { index, field: renderPath(field), message: shared ?? message };
}

/** @throws OperatorError with the issues of the document */
function assertValid(document: WrittenCredentials): CredentialsContent {
  const { content, issues } = validateCredentials(document);
  if (issues.length === 0) return content;
  const texts = issues.map((issue) => formatIssue(issue, document.accounts));
  throw new OperatorError(`Nothing was changed: ${texts.join('; ')}.`);
}

/** The operator knows an account by its name, not by its place in the file. */
function formatIssue(issue: CredentialIssue, accounts: WrittenCredentials['accounts']): string {
  const account = invalidAccount(issue, accounts);
  const place = account?.name ? `account ${account.name}: ${account.field}` : renderPath(issue.path);
  return `${place} ${issue.message}`;
}
