import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EditRefusedError } from '../../../../domain/model/errors.ts';
import { systemErrorCode } from '../../../../files/system-error-code.ts';
import { unreadable } from '../credentials-file.ts';
import { withFileLock } from '../files/file-lock.ts';
import type { MasterKeyFiles } from '../master-key/master-key-pair.ts';

/** The files of a rotation by the paths that are written: symbolic links are followed, so that a link stays one. */
export interface RotationPlace extends MasterKeyFiles {
  readonly credentials: string;
}

/**
 * Finds what the paths lead to, where the credentials file and the primary master key exist.
 * @throws CredentialLoadError, EditRefusedError when a folder is not there, or two of the files are, or would be written over, one another
 */
export async function findRotationPlace(credentialsFile: string, files: MasterKeyFiles): Promise<RotationPlace> {
  const credentials = await realpath(credentialsFile).catch((error: unknown) => {
    throw unreadable(credentialsFile, error);
  });
  const place = {
    credentials,
    primary: await realPathOf(files.primary),
    previous: await realPathOf(files.previous),
  };
  const written = Object.values(place).flatMap((file) => [file, `${file}.tmp`, `${file}.lock`]);
  if (new Set(written).size === written.length) return place;
  throw new EditRefusedError(
    'SIGNING_CREDENTIALS_FILE, SIGNING_MASTER_KEY_FILE and SIGNING_PREVIOUS_MASTER_KEY_FILE have to name three files, none of which is another with .tmp or ' +
      '.lock behind its name; nothing was changed.',
  );
}

/** Runs `action` while nobody else edits the credentials file or rotates this master key, for these or for other credentials. @throws EditRefusedError */
export function withRotationLocks<Result>(
  { credentials, primary }: RotationPlace,
  action: () => Promise<Result>,
): Promise<Result> {
  return withFileLock(credentials, () => withFileLock(primary, action));
}

async function realPathOf(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw unreachable(file, error);
  }
  const folder = await realpath(dirname(file)).catch((error: unknown) => {
    throw unreachable(file, error);
  });
  return join(folder, basename(file));
}

function unreachable(file: string, error: unknown): EditRefusedError {
  return new EditRefusedError(
    `${file} can't be reached (${systemErrorCode(error)}); nothing was changed. Check that its folder is there and who may enter it.`,
    { cause: error },
  );
}
