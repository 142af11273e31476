import { accessSync, constants } from 'node:fs';
import { access, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CredentialsContent } from '../../../domain/configuration/credentials-schema.ts';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import type { MasterKeyProtection } from '../../../domain/model/master-key-rotation.ts';
import type { WrappingKeys } from '../../../ports/wrapping-keys.ts';
import { createFolders, removeEmptyFolders } from '../../files/folders.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { createSecretFile, isExistingFile, KeyFileError } from '../../key-files/secret-file.ts';
import { MemoryLockError } from '../../vault/locked-buffer.ts';
import { SodiumKeyStore } from '../../vault/sodium-key-store.ts';
import { readCredentialsFile } from '../credentials-file.ts';
import { MasterKey } from '../keyring/master-key.ts';
import { createRingLine } from '../keyring/new-master-key.ts';
import type { PassphraseDialog } from '../keyring/passphrase-dialog.ts';
import { isWrapped, readRing, toRing } from '../keyring/ring-file.ts';
import { getSealingKeyId } from '../sealed-key-text.ts';

/** Protection of the master key, and what creates it. */
export interface InitialProtection {
  /** Null: that of an existing key, and none for a new one. */
  readonly wanted: 'new-passphrase' | MasterKeyProtection | null;
  readonly dialog: PassphraseDialog;
  readonly wrappingKeys: WrappingKeys;
}

/** `found` files are unchanged. */
type Initialisation = 'created' | 'found';

const EMPTY_CREDENTIALS = { version: 1, platforms: [], accounts: [] };
const FOLDER_MODE = 0o700;

/**
 * Creates missing master key, empty credentials file (mode 0600) and folders (0700). Never
 * overwrites; validates an existing credentials file first, except for its keys. Ignores leftovers
 * of killed commands.
 * @throws EditRefusedError if a file cannot be created, keys are sealed under a missing master key,
 * or an existing one has another source or wrapping key; CredentialLoadError; MemoryLockError
 */
export async function initialiseFiles(
  credentialsFile: string,
  masterKeyFile: string,
  protection: InitialProtection,
): Promise<{ readonly credentialsFile: Initialisation; readonly masterKeyFile: Initialisation }> {
  const hasMasterKey = await exists(masterKeyFile);
  if (hasMasterKey) assertSameProtection(masterKeyFile, protection.wanted);
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
    const masterKey = hasMasterKey ? 'found' : await createMasterKey(masterKeyFile, protection);
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
  { wanted, dialog, wrappingKeys }: InitialProtection,
): Promise<Initialisation> {
  const vault = new SodiumKeyStore();
  try {
    const key = MasterKey.generate(vault);
    const chosen =
      wanted === 'new-passphrase'
        ? ({ source: 'passphrase', passphrase: await dialog.choose() } as const)
        : (wanted ?? ({ source: 'file' } as const));
    const content = toRing(await createRingLine(key, chosen, dialog, wrappingKeys));
    return createIfMissing(file, () => content((bytes) => createSecretFile(file, bytes)));
  } catch (error) {
    throw creationError(file, error);
  } finally {
    vault.purge();
  }
}

/**
 * A passphrase is not compared: the command names how to set one.
 * @throws EditRefusedError
 */
function assertSameProtection(file: string, wanted: InitialProtection['wanted']): void {
  if (wanted === null || wanted === 'new-passphrase') return;
  const [present, request] = [readProtection(file), describe(wanted)];
  if (present === request) return;
  const options = wanted.source === 'file' ? '' : ` --wrapping-key ${wanted.wrappingKey}`;
  throw new EditRefusedError(
    `${file} already has a master key, whose source is ${present}, not ${request}; nothing was changed. ` +
      `To keep it, run init without --master-key-source. To change the source, run signing-service master-key rotate --master-key-source ${wanted.source}${options}.`,
  );
}

function readProtection(file: string): string {
  try {
    const [first] = readRing(file);
    return isWrapped(first) ? describe(first) : first.source;
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new EditRefusedError(`${error.message}. Nothing was changed.`, { cause: error });
  }
}

function describe(protection: MasterKeyProtection): string {
  return protection.source === 'file'
    ? protection.source
    : `${protection.source} with wrapping key ${protection.wrappingKey}`;
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
      `${credentialsFile} contains keys sealed under master key ${getSealingKeyId(key.sealed)}, but ${masterKeyFile} does not exist. A new master key ` +
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
