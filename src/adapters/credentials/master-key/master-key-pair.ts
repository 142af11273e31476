import { existsSync, lstatSync } from 'node:fs';
import { isMissingFile, KeyFileError } from '../../key-files/secret-file.ts';
import { readMasterKeyFile, removeStoredKey, type StoredMasterKey } from './master-key-file.ts';

/** Paths of the master keys. */
export interface MasterKeyFiles {
  /** Seals new keys: setting SIGNING_MASTER_KEY_FILE. */
  readonly primary: string;
  /** The previous key during a rotation, optional: setting SIGNING_PREVIOUS_MASTER_KEY_FILE. */
  readonly previous: string;
}

export interface MasterKeyPair {
  readonly primary: StoredMasterKey;
  readonly previous: StoredMasterKey | undefined;
}

/**
 * Reads both files without opening wrapped keys. An invalid previous file is an error even if
 * unused: replicas may need it. Read the credentials file first: a rotation writes it last.
 * @returns plain keys in locked memory, for {@link wipeMasterKeyPair}
 * @throws KeyFileError if the primary is missing or a file is invalid; MemoryLockError
 */
export function readMasterKeyPair(files: MasterKeyFiles): MasterKeyPair {
  const primary = readPrimary(files);
  try {
    return { primary, previous: readPrevious(files.previous) };
  } catch (error) {
    removeStoredKey(primary);
    throw error;
  }
}

/** Wipes plain keys. Idempotent. */
export function wipeMasterKeyPair({ primary, previous }: MasterKeyPair): void {
  removeStoredKey(primary);
  removeStoredKey(previous);
}

function readPrimary({ primary, previous }: MasterKeyFiles): StoredMasterKey {
  try {
    return readMasterKeyFile(primary);
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    const restore = 'no master key; restore it, or set SIGNING_MASTER_KEY_FILE to its path';
    const problem = pathExists(previous)
      ? `${restore}. ${previous} exists, but contains the previous key and cannot replace it`
      : `${restore}; if it never existed, run \`signing-service init\``;
    throw new KeyFileError(primary, problem, error);
  }
}

function readPrevious(file: string): StoredMasterKey | undefined {
  try {
    return readMasterKeyFile(file);
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    const entry = lstatSync(file, { throwIfNoEntry: false });
    if (entry === undefined) return undefined;
    // A rotation just created it.
    if (!entry.isSymbolicLink() || existsSync(file)) return readPrevious(file);
    throw new KeyFileError(file, 'it is a broken symbolic link; restore its target, or remove it', error);
  }
}

function pathExists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
