import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { CredentialsContent } from '../../../domain/configuration/credentials-schema.ts';
import { inContext, OperatorError } from '../../../domain/model/errors.ts';
import type { MasterKeyProtection } from '../../../domain/model/master-key-rotation.ts';
import type { WrappingKeys } from '../../../ports/wrapping-keys.ts';
import { adviseOnCreating, fileError } from '../../files/file-advice.ts';
import { createFolders, removeEmptyFolders } from '../../files/folders.ts';
import { pathExists } from '../../files/replace-file.ts';
import { createSecretFile, isExistingFile } from '../../key-files/secret-file.ts';
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
 * overwrites; validates an existing credentials file first, except for its keys.
 * @throws OperatorError if a file cannot be created, keys are sealed under a missing master key,
 * or an existing one has another source or wrapping key
 */
export async function initialiseFiles(
  credentialsFile: string,
  masterKeyFile: string,
  protection: InitialProtection,
): Promise<{ readonly credentialsFile: Initialisation; readonly masterKeyFile: Initialisation }> {
  const hasMasterKey = pathExists(masterKeyFile);
  if (hasMasterKey) assertSameProtection(masterKeyFile, protection.wanted);
  const hasCredentials = pathExists(credentialsFile);
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
      : createIfMissing(() => createSecretFile(credentialsFile, Buffer.from(text)));
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
      throw fileError(file, `${adviseOnCreating(error)}; nothing was created`, error);
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
    return createIfMissing(() => content((bytes) => createSecretFile(file, bytes)));
  } finally {
    vault.purge();
  }
}

/**
 * A passphrase is not compared: the command names how to set one.
 * @throws OperatorError
 */
function assertSameProtection(file: string, wanted: InitialProtection['wanted']): void {
  if (wanted === null || wanted === 'new-passphrase') return;
  const [present, request] = [readProtection(file), describe(wanted)];
  if (present === request) return;
  const options = wanted.source === 'file' ? '' : ` --wrapping-key ${wanted.wrappingKey}`;
  throw new OperatorError(
    `${file} already has a master key, whose source is ${present}, not ${request}; nothing was changed. ` +
      `To keep it, run init without --master-key-source. To change the source, run signing-service master-key rotate --master-key-source ${wanted.source}${options}.`,
  );
}

function readProtection(file: string): string {
  try {
    const [first] = readRing(file);
    return isWrapped(first) ? describe(first) : first.source;
  } catch (error) {
    throw inContext(error, (message) => `${message} Nothing was changed.`);
  }
}

function describe(protection: MasterKeyProtection): string {
  return protection.source === 'file'
    ? protection.source
    : `${protection.source} with wrapping key ${protection.wrappingKey}`;
}

function assertNothingSealed({ accounts }: CredentialsContent, credentialsFile: string, masterKeyFile: string): void {
  for (const { key } of accounts) {
    if (!('sealed' in key)) continue;
    throw new OperatorError(
      `${credentialsFile} contains keys sealed under master key ${getSealingKeyId(key.sealed)}, but ${masterKeyFile} does not exist. A new master key ` +
        'could not open them, so none was created: restore the master key file, or set SIGNING_MASTER_KEY_FILE to its path.',
    );
  }
}

function createIfMissing(make: () => void): Initialisation {
  try {
    make();
    return 'created';
  } catch (error) {
    if (isExistingFile(error)) return 'found';
    throw error;
  }
}
