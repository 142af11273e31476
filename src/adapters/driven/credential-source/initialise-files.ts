import { mkdirSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import { KeyFileError, KeyFileExistsError } from '../../../secure-memory/key-file-error.ts';
import { createSecretFile } from '../../../secure-memory/secret-file.ts';
import { readCredentialsFile } from './credentials-file.ts';
import { MasterKey } from './master-key.ts';
import { masterKeyIdOf } from './sealed-key.ts';
import { systemErrorCode } from './system-error-code.ts';

/** `created` now, or `found`, which was left as it is. */
export type Initialisation = 'created' | 'found';

const EMPTY_CREDENTIALS = { version: 1, platforms: [], accounts: [] };
const FOLDER_MODE = 0o700;

/**
 * Makes the master key and an empty credentials file, both of mode 0600, where there are none, and their folders (mode 0700). What is there is never
 * overwritten.
 *
 * @throws EditRefusedError when a file can't be made, or the credentials file holds keys sealed under a master key that is not there
 * @throws CredentialLoadError when the master key is to be made and the credentials file that is there is wrong
 */
export async function initialiseFiles(
  credentialsFile: string,
  masterKeyFile: string,
): Promise<{ readonly credentialsFile: Initialisation; readonly masterKeyFile: Initialisation }> {
  if (!(await exists(masterKeyFile)) && (await exists(credentialsFile))) {
    await assertNothingSealed(credentialsFile, masterKeyFile);
  }
  const masterKey = makeWhereNone(masterKeyFile, MasterKey.create);
  const text = `${JSON.stringify(EMPTY_CREDENTIALS, null, 2)}\n`;
  const credentials = makeWhereNone(credentialsFile, (file) => createSecretFile(file, Buffer.from(text)));
  return { credentialsFile: credentials, masterKeyFile: masterKey };
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw new EditRefusedError(`${file} can't be reached (${systemErrorCode(error)}).`, { cause: error });
  }
}

async function assertNothingSealed(credentialsFile: string, masterKeyFile: string): Promise<void> {
  const { content } = await readCredentialsFile(credentialsFile);
  for (const { key } of content.accounts) {
    if (!('sealed' in key)) continue;
    throw new EditRefusedError(
      `${credentialsFile} holds keys sealed under master key ${masterKeyIdOf(key.sealed)}, and ${masterKeyFile} does not exist. A new master key ` +
        'could not open them, so none was made: restore the master key file, or set SIGNING_MASTER_KEY_FILE to where it is.',
    );
  }
}

function makeWhereNone(file: string, make: (file: string) => void): Initialisation {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: FOLDER_MODE });
    make(file);
    return 'created';
  } catch (error) {
    if (error instanceof KeyFileExistsError) return 'found';
    const reason = error instanceof KeyFileError ? error.message : `${file}: ${systemErrorCode(error)}`;
    throw new EditRefusedError(`${reason}. This file was not made.`, { cause: error });
  }
}
