import { accessSync, constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import { makeFolders, removeEmptyFolders } from '../../../files/make-folders.ts';
import { systemErrorCode } from '../../../files/system-error-code.ts';
import { isExistingFile, KeyFileError } from '../../../secure-memory/key-file-error.ts';
import { MemoryLockError } from '../../../secure-memory/locked-buffer.ts';
import { createSecretFile } from '../../../secure-memory/secret-file.ts';
import { readCredentialsFile } from './credentials-file.ts';
import type { CredentialsContent } from './credentials-schema.ts';
import type { SecretContent } from './files/replace-secret-file.ts';
import { MasterKey } from './master-key/master-key.ts';
import type { PassphraseDialog } from './master-key/passphrase-dialog.ts';
import { masterKeyIdOf } from './sealed-key-text.ts';

/** `created` now, or `found`, which was left as it is. */
export type Initialisation = 'created' | 'found';

const EMPTY_CREDENTIALS = { version: 1, platforms: [], accounts: [] };
const FOLDER_MODE = 0o700;

/**
 * Makes the master key and an empty credentials file, both of mode 0600, where there are none, and their folders (mode 0700). What is there is never
 * overwritten; a credentials file that is there is checked, but for its keys, before anything is made. What a rotation of the master key left beside these files
 * is not looked at.
 *
 * @param dialog asked for the passphrase of a new master key; null: the master key gets none
 * @throws EditRefusedError when a file can't be made or is a symbolic link to nothing, or the credentials file holds keys sealed under a master key
 *   that is not there
 * @throws CredentialLoadError when the credentials file that is there can't be read or is wrong
 * @throws MemoryLockError when memory for the master key can't be locked
 */
export async function initialiseFiles(
  credentialsFile: string,
  masterKeyFile: string,
  dialog: PassphraseDialog | null = null,
): Promise<{ readonly credentialsFile: Initialisation; readonly masterKeyFile: Initialisation }> {
  const hasMasterKey = await exists(masterKeyFile);
  const hasCredentials = await exists(credentialsFile);
  if (hasCredentials) {
    const { content } = await readCredentialsFile(credentialsFile);
    if (!hasMasterKey) assertNothingSealed(content, credentialsFile, masterKeyFile);
  }
  // Before anybody is asked for a passphrase that would be of no use.
  const folders = makeFoldersOf([
    ...(hasMasterKey ? [] : [masterKeyFile]),
    ...(hasCredentials ? [] : [credentialsFile]),
  ]);
  try {
    const masterKey = hasMasterKey ? 'found' : await makeMasterKey(masterKeyFile, dialog);
    const text = `${JSON.stringify(EMPTY_CREDENTIALS, null, 2)}\n`;
    const credentials = hasCredentials
      ? 'found'
      : makeWhereNone(credentialsFile, () => createSecretFile(credentialsFile, Buffer.from(text)));
    return { credentialsFile: credentials, masterKeyFile: masterKey };
  } catch (error) {
    removeEmptyFolders(folders);
    throw error;
  }
}

/** Makes the folders of files that are to be made; returns those that were missing, the outermost first. */
function makeFoldersOf(files: readonly string[]): readonly string[] {
  const made: string[] = [];
  for (const file of files) {
    const folder = dirname(file);
    try {
      made.push(...makeFolders(folder, FOLDER_MODE));
      accessSync(folder, constants.W_OK | constants.X_OK);
    } catch (error) {
      removeEmptyFolders(made);
      throw new EditRefusedError(
        `${file} can't be made: its folder is not there and can't be made, or nothing can be written into it (${systemErrorCode(error)}); nothing was made. ` +
          'Check the path and the permissions of its folders.',
        { cause: error },
      );
    }
  }
  return made;
}

async function makeMasterKey(file: string, dialog: PassphraseDialog | null): Promise<Initialisation> {
  const masterKey = MasterKey.generate();
  try {
    const content = dialog === null ? plainContent(masterKey) : await wrappedContent(file, masterKey, dialog);
    return makeWhereNone(file, () => content((bytes) => createSecretFile(file, bytes)));
  } finally {
    masterKey.destroy();
  }
}

function plainContent(masterKey: MasterKey): SecretContent {
  return (write) => masterKey.use(write);
}

async function wrappedContent(file: string, masterKey: MasterKey, dialog: PassphraseDialog): Promise<SecretContent> {
  try {
    const wrapped = dialog.wrap(file, masterKey, await dialog.choose(file));
    return (write) => write(wrapped);
  } catch (error) {
    throw notMade(file, error);
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
      `${file} is a symbolic link to a file that does not exist; nothing was made. Restore that file, or remove the link.`,
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
    `${file} can't be reached (${systemErrorCode(error)}); nothing was made. Check the path and the permissions of its folders.`,
    { cause: error },
  );
}

function assertNothingSealed({ accounts }: CredentialsContent, credentialsFile: string, masterKeyFile: string): void {
  for (const { key } of accounts) {
    if (!('sealed' in key)) continue;
    throw new EditRefusedError(
      `${credentialsFile} holds keys sealed under master key ${masterKeyIdOf(key.sealed)}, and ${masterKeyFile} does not exist. A new master key ` +
        'could not open them, so none was made: restore the master key file, or set SIGNING_MASTER_KEY_FILE to where it is.',
    );
  }
}

function makeWhereNone(file: string, make: () => void): Initialisation {
  try {
    make();
    return 'created';
  } catch (error) {
    if (isExistingFile(error)) return 'found';
    throw notMade(file, error);
  }
}

function notMade(file: string, error: unknown): unknown {
  if (error instanceof MemoryLockError) return error;
  const reason = error instanceof KeyFileError ? error.message : `${file}: ${systemErrorCode(error)}`;
  return new EditRefusedError(`${reason}. This file was not made.`, { cause: error });
}
