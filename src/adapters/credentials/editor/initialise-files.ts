import { accessSync, constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { WrappingSource } from '../../../domain/model/master-key-rotation.ts';
import { createFolders, removeEmptyFolders } from '../../files/folders.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { createSecretFile, isExistingFile, KeyFileError } from '../../key-files/secret-file.ts';
import { MemoryLockError } from '../../vault/locked-buffer.ts';
import { readCredentialsFile } from '../credentials-file.ts';
import { type LoadWrappingKey, wrapInEnvelope } from '../master-key/envelope-source.ts';
import { MasterKey } from '../master-key/master-key.ts';
import type { PassphraseDialog } from '../master-key/passphrase-dialog.ts';
import type { CredentialsContent } from '../schema/credentials-schema.ts';
import { getMasterKeyId } from '../schema/sealed-key-text.ts';
import type { SecretContent } from './replace-credentials-file.ts';

/** A wrapping key for a new master key. */
export interface NewEnvelope {
  readonly source: WrappingSource;
  readonly wrappingKey: string;
  readonly load: LoadWrappingKey;
}

/** `found` files are unchanged. */
type Initialisation = 'created' | 'found';

const EMPTY_CREDENTIALS = { version: 1, platforms: [], accounts: [] };
const FOLDER_MODE = 0o700;

/**
 * Creates missing master key, empty credentials file (mode 0600) and folders (0700). Never
 * overwrites; validates an existing credentials file first, except for its keys. Ignores leftovers
 * of a rotation.
 * @param dialog prompts for a new master key's passphrase; null: none
 * @param envelope wraps a new master key in a service or token instead
 * @throws EditRefusedError if a file cannot be created, or keys are sealed under a missing master
 * key; CredentialLoadError; MemoryLockError
 */
export async function initialiseFiles(
  credentialsFile: string,
  masterKeyFile: string,
  dialog: PassphraseDialog | null = null,
  envelope: NewEnvelope | null = null,
): Promise<{ readonly credentialsFile: Initialisation; readonly masterKeyFile: Initialisation }> {
  const hasMasterKey = await exists(masterKeyFile);
  const hasCredentials = await exists(credentialsFile);
  if (hasCredentials) {
    const { content } = await readCredentialsFile(credentialsFile);
    if (!hasMasterKey) assertNothingSealed(content, credentialsFile, masterKeyFile);
  }
  // Before prompting for a passphrase that could not be used.
  const folders = createFoldersOf([
    ...(hasMasterKey ? [] : [masterKeyFile]),
    ...(hasCredentials ? [] : [credentialsFile]),
  ]);
  try {
    const masterKey = hasMasterKey ? 'found' : await createMasterKey(masterKeyFile, dialog, envelope);
    const text = `${JSON.stringify(EMPTY_CREDENTIALS, null, 2)}\n`;
    const credentials = hasCredentials
      ? 'found'
      : createIfMissing(credentialsFile, () => createSecretFile(credentialsFile, Buffer.from(text)));
    return { credentialsFile: credentials, masterKeyFile: masterKey };
  } catch (error) {
    removeEmptyFolders(folders);
    throw error;
  }
}

/** Creates the files' folders; returns the new ones, outermost first. */
function createFoldersOf(files: readonly string[]): readonly string[] {
  const created: string[] = [];
  for (const file of files) {
    const folder = dirname(file);
    try {
      created.push(...createFolders(folder, FOLDER_MODE));
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      removeEmptyFolders(created);
      throw new EditRefusedError(
        `${file} cannot be created: its folder does not exist and cannot be created, or is not writable (${systemErrorCode(error)}); nothing was created. ` +
          'Check the path and the permissions of its folders.',
        { cause: error },
      );
    }
  }
  return created;
}

async function createMasterKey(
  file: string,
  dialog: PassphraseDialog | null,
  envelope: NewEnvelope | null,
): Promise<Initialisation> {
  const masterKey = MasterKey.generate();
  try {
    const content = await toContent(file, masterKey, dialog, envelope);
    return createIfMissing(file, () => content((bytes) => createSecretFile(file, bytes)));
  } finally {
    masterKey.destroy();
  }
}

async function toContent(
  file: string,
  masterKey: MasterKey,
  dialog: PassphraseDialog | null,
  envelope: NewEnvelope | null,
): Promise<SecretContent> {
  try {
    if (envelope !== null) {
      const wrapped = await wrapInEnvelope(masterKey, envelope, envelope.load);
      return (write) => write(wrapped);
    }
    if (dialog === null) return (write) => masterKey.use(write);
    const wrapped = dialog.wrap(file, masterKey, await dialog.choose(file));
    return (write) => write(wrapped);
  } catch (error) {
    throw creationError(file, error);
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw unreachable(file, error);
    if (!(await isLink(file))) return false;
    throw new EditRefusedError(
      `${file} is a symbolic link to a file that does not exist; nothing was created. Restore that file, or remove the link.`,
    );
  }
}

async function isLink(file: string): Promise<boolean> {
  try {
    return (await lstat(file)).isSymbolicLink();
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw unreachable(file, error);
  }
}

function unreachable(file: string, error: unknown): EditRefusedError {
  return new EditRefusedError(
    `${file} cannot be accessed (${systemErrorCode(error)}); nothing was created. Check the path and the permissions of its folders.`,
    { cause: error },
  );
}

function assertNothingSealed({ accounts }: CredentialsContent, credentialsFile: string, masterKeyFile: string): void {
  for (const { key } of accounts) {
    if (!('sealed' in key)) continue;
    throw new EditRefusedError(
      `${credentialsFile} contains keys sealed under master key ${getMasterKeyId(key.sealed)}, but ${masterKeyFile} does not exist. A new master key ` +
        'could not open them, so none was created: restore the master key file, or set SIGNING_MASTER_KEY_FILE to its path.',
    );
  }
}

function createIfMissing(file: string, make: () => void): Initialisation {
  try {
    make();
    return 'created';
  } catch (error) {
    if (isExistingFile(error)) return 'found';
    throw creationError(file, error);
  }
}

function creationError(file: string, error: unknown): unknown {
  if (error instanceof MemoryLockError || error instanceof EditRefusedError) return error;
  const reason = error instanceof KeyFileError ? error.message : `${file}: ${systemErrorCode(error)}`;
  return new EditRefusedError(`${reason}. This file was not created.`, { cause: error });
}
