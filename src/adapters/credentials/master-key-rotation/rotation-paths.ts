import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EditRefusedError } from '../../../domain/model/errors.ts';
import { withFileLock } from '../../files/file-lock.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { unreadable } from '../credentials-file.ts';
import type { MasterKeyFiles } from '../master-key/master-key-pair.ts';

export interface RotationSubject {
  /** Path of the credentials file. */
  readonly credentialsFile: string;
  readonly files: MasterKeyFiles;
}

/** Files of a rotation, symbolic links resolved, so that links are preserved. */
export interface RotationPaths extends MasterKeyFiles {
  readonly credentials: string;
}

/**
 * Resolves the paths; credentials file and primary key must exist.
 * @throws CredentialLoadError, or EditRefusedError if a folder is missing or files would overwrite
 * each other
 */
export async function resolveRotationPaths(credentialsFile: string, files: MasterKeyFiles): Promise<RotationPaths> {
  const credentials = await realpath(credentialsFile).catch((error: unknown) => {
    throw unreadable(credentialsFile, error);
  });
  const paths = {
    credentials,
    primary: await resolvePath(files.primary),
    previous: await resolvePath(files.previous),
  };
  const written = Object.values(paths).flatMap((file) => [file, `${file}.tmp`, `${file}.lock`]);
  if (new Set(written).size === written.length) return paths;
  throw new EditRefusedError(
    'SIGNING_CREDENTIALS_FILE, SIGNING_MASTER_KEY_FILE and SIGNING_PREVIOUS_MASTER_KEY_FILE must name three different files, none of which is another one with .tmp or ' +
      '.lock appended; nothing was changed.',
  );
}

/**
 * Runs `action` under locks on the credentials file and the master key. @throws EditRefusedError
 */
export function withRotationLocks<Result>(
  { credentials, primary }: RotationPaths,
  action: () => Promise<Result>,
): Promise<Result> {
  return withFileLock(credentials, () => withFileLock(primary, action));
}

async function resolvePath(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw unreachableError(file, error);
  }
  const folder = await realpath(dirname(file)).catch((error: unknown) => {
    throw unreachableError(file, error);
  });
  return join(folder, basename(file));
}

function unreachableError(file: string, error: unknown): EditRefusedError {
  return new EditRefusedError(
    `${file} cannot be accessed (${systemErrorCode(error)}); nothing was changed. Check that its folder exists, and its permissions.`,
    { cause: error },
  );
}
