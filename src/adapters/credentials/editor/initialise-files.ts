import { accessSync, constants } from 'node:fs';
import { dirname } from 'node:path';
import type { CredentialsContent } from '../../../domain/configuration/credentials-schema.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import type { MasterKeyProtection } from '../../../domain/model/master-key-rotation.ts';
import { adviseOnCreating, fileError } from '../../files/file-advice.ts';
import { createFolders, removeEmptyFolders } from '../../files/folders.ts';
import { createSecretFile, pathExists } from '../../files/replace-file.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { formatCredentials, readCredentialsFile } from '../credentials-file.ts';
import type { Keyring } from '../keyring/keyring.ts';
import { readRing } from '../keyring/ring-file.ts';
import { countSealedKeys } from '../validated-credentials.ts';

/** Which files did not exist. */
interface CreatedFiles {
  readonly masterKey: boolean;
  readonly credentials: boolean;
}

const EMPTY_CREDENTIALS = formatCredentials({ version: 1, platforms: [], accounts: [] });
const FOLDER_MODE = 0o700;

/**
 * Creates missing master key, empty credentials file (mode 0600) and folders (0700). Never
 * overwrites; validates existing files first, and opens no key.
 * @throws OperatorError if a file cannot be created, keys are sealed under a missing master key,
 * or an existing one is malformed or has another source or wrapping key
 */
export async function initialiseFiles(
  credentialsFile: string,
  keyring: Keyring,
  wanted: MasterKeyProtection | null,
): Promise<CreatedFiles> {
  const { file: masterKeyFile } = keyring;
  const hasMasterKey = pathExists(masterKeyFile);
  if (hasMasterKey) assertSameProtection(masterKeyFile, wanted);
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
    if (!hasMasterKey) {
      const { line } = await keyring.create(wanted ?? { source: 'file' });
      line((text) => createSecretFile(masterKeyFile, text));
    }
    if (!hasCredentials) createSecretFile(credentialsFile, Buffer.from(EMPTY_CREDENTIALS));
    return { masterKey: !hasMasterKey, credentials: !hasCredentials };
  } catch (error) {
    removeEmptyFolders(folders);
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    throw new OperatorError(
      `Another process created ${masterKeyFile} or ${credentialsFile} at the same time, and it was not changed. Run the command again.`,
    );
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

/**
 * A passphrase is not compared: the command names how to set one.
 * @throws OperatorError
 */
function assertSameProtection(file: string, wanted: MasterKeyProtection | null): void {
  const present = describe(readRing(file)[0]);
  if (wanted === null || wanted.source === 'passphrase') return;
  const request = describe(wanted);
  if (present === request) return;
  const options = wanted.source === 'file' ? '' : ` --wrapping-key ${wanted.wrappingKey}`;
  throw new OperatorError(
    `${file} already has a master key, whose source is ${present}, not ${request}; nothing was changed. ` +
      `To keep it, run init without --master-key-source. To change the source, run signing-service master-key rotate --master-key-source ${wanted.source}${options}.`,
  );
}

function describe(protection: MasterKeyProtection): string {
  return 'wrappingKey' in protection
    ? `${protection.source} with wrapping key ${protection.wrappingKey}`
    : protection.source;
}

function assertNothingSealed(content: CredentialsContent, credentialsFile: string, masterKeyFile: string): void {
  const [id] = countSealedKeys(content).keys();
  if (id === undefined) return;
  throw new OperatorError(
    `${credentialsFile} contains keys sealed under master key ${id}, but ${masterKeyFile} does not exist. A new master key ` +
      'could not open them, so none was created: restore the master key file, or set SIGNING_MASTER_KEY_FILE to its path.',
  );
}
