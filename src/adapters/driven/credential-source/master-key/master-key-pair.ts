import { existsSync, lstatSync } from 'node:fs';
import { isMissingFile, KeyFileError } from '../../../../secure-memory/key-file-error.ts';
import { forgetStoredKey, readMasterKeyFile, type StoredMasterKey } from './master-key-file.ts';

/** Where the two master keys are that may be readable at a time. */
export interface MasterKeyFiles {
  /** The key under which new keys are sealed: setting SIGNING_MASTER_KEY_FILE. */
  readonly primary: string;
  /** During a rotation, the key before it; this file need not exist: setting SIGNING_PREVIOUS_MASTER_KEY_FILE. */
  readonly previous: string;
}

/** What the two files hold. */
export interface MasterKeyPair {
  readonly primary: StoredMasterKey;
  readonly previous: StoredMasterKey | undefined;
}

/**
 * Reads both files, wrapped keys unopened. A previous file that is there and wrong is an error even when nothing needs it: it is there for those
 * replicas and backups that do.
 *
 * Read the credentials file first. A rotation writes the previous file, then the primary, then the credentials file; so who reads them in the
 * opposite order finds each key under which something is sealed.
 *
 * @returns plain keys in locked memory; the caller hands them to {@link forgetPair}
 * @throws KeyFileError when the primary is not there, or one of them is wrong
 * @throws MemoryLockError when memory can't be locked
 */
export function readMasterKeyPair(files: MasterKeyFiles): MasterKeyPair {
  const primary = readPrimary(files);
  try {
    return { primary, previous: readPrevious(files.previous) };
  } catch (error) {
    forgetStoredKey(primary);
    throw error;
  }
}

/** Wipes the plain keys of a pair. Safe to call twice. */
export function forgetPair({ primary, previous }: MasterKeyPair): void {
  forgetStoredKey(primary);
  forgetStoredKey(previous);
}

function readPrimary({ primary, previous }: MasterKeyFiles): StoredMasterKey {
  try {
    return readMasterKeyFile(primary);
  } catch (error) {
    if (!isMissingFile(error)) throw error;
    const restore = 'there is no master key; restore it, or set SIGNING_MASTER_KEY_FILE to where it is';
    const problem = isThere(previous)
      ? `${restore}. ${previous} is there, but it holds the key before that one and does not take its place`
      : `${restore}; if there never was one, run \`signing-service init\``;
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
    // A rotation put it there right after it was looked for.
    if (!entry.isSymbolicLink() || existsSync(file)) return readPrevious(file);
    throw new KeyFileError(file, 'it is a symbolic link to nothing; restore what it leads to, or remove it', error);
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
