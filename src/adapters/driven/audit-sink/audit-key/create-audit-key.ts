import { lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../../../domain/model/errors.ts';
import { makeFolders, removeEmptyFolders } from '../../../../files/make-folders.ts';
import { isExistingFile, KeyFileError } from '../../../../secure-memory/key-file-error.ts';
import { createSeedFile } from '../../../../secure-memory/seed-file.ts';
import { AuditKey } from './audit-key.ts';
import { createPublicKeyFile, hasPublicKeyFile, publicKeyFileOf } from './public-key-file.ts';

const FOLDER_MODE = 0o700;

/** A file of the audit key: made now, or found and left as it is. */
export interface AuditKeyFile {
  readonly file: string;
  readonly created: boolean;
}

/**
 * Makes the audit key where none is (mode 0600, missing folders 0700), and beside it the file with its public half (`<file>.pub`, mode 0644) where that is
 * missing. What is there is checked and never overwritten; a new key is read back from its file.
 *
 * @throws OperatorError when one of them can't be made, is wrong, or does not fit the other
 * @throws MemoryLockError when memory for the key can't be locked
 */
export function createAuditKey(file: string): { readonly key: AuditKeyFile; readonly publicKey: AuditKeyFile } {
  const isNew = !isThere(file) && createKey(file);
  const key = AuditKey.open(file);
  try {
    const hasPublicKey = hasPublicKeyFile(file, key.publicKey);
    if (!hasPublicKey) createPublicKeyFile(file, key.publicKey);
    return {
      key: { file, created: isNew },
      publicKey: { file: publicKeyFileOf(file), created: !hasPublicKey },
    };
  } finally {
    key.destroy();
  }
}

/** @returns false when another process made it at the same moment */
function createKey(file: string): boolean {
  assertNoPublicKey(file);
  const folders = makeFoldersOf(file);
  try {
    createSeedFile(file);
    return true;
  } catch (error) {
    if (isExistingFile(error)) return false;
    removeEmptyFolders(folders);
    if (!(error instanceof KeyFileError)) throw error;
    throw new OperatorError(`The audit key (SIGNING_AUDIT_KEY_FILE) can not be made: ${error.message}.`, {
      cause: error,
    });
  }
}

/** The new key would not fit it, and it may be all that is left of a key under which checkpoints were signed. */
function assertNoPublicKey(file: string): void {
  const publicKeyFile = publicKeyFileOf(file);
  if (!isThere(publicKeyFile)) return;
  throw new OperatorError(
    `${publicKeyFile} is there, but not the audit key ${file} (SIGNING_AUDIT_KEY_FILE) to which it belongs, so no other was made. ` +
      'Restore that key; or, for a new one, move this file aside and keep it: older checkpoints are checked with it.',
  );
}

function makeFoldersOf(file: string): readonly string[] {
  try {
    return makeFolders(dirname(file), FOLDER_MODE);
  } catch (error) {
    throw unreachable(file, error);
  }
}

/** @throws OperatorError for a link to nothing: nothing is made through a link */
function isThere(file: string): boolean {
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return false;
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) return true;
  } catch (error) {
    throw unreachable(file, error);
  }
  throw new OperatorError(
    `${file} (SIGNING_AUDIT_KEY_FILE) is a symbolic link to a file that does not exist. Restore that file, or remove the link.`,
  );
}

function unreachable(file: string, error: unknown): OperatorError {
  const code = error instanceof Error && 'code' in error ? ` (${error.code})` : '';
  return new OperatorError(
    `The audit key ${file} (SIGNING_AUDIT_KEY_FILE) can not be made: its folder can not be reached or made${code}. Check the path and the permissions of its folders.`,
    { cause: error },
  );
}
