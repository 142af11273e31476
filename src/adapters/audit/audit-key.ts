import { lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { OperatorError } from '../../domain/model/errors.ts';
import { createFolders, removeEmptyFolders } from '../files/folders.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import {
  createPublicFile,
  isExistingFile,
  isMissingFile,
  KeyFileError,
  withSecretFile,
} from '../key-files/secret-file.ts';
import { createSeedFile, withSeedFile } from '../key-files/seed-file.ts';
import { encodePublicKeyPem } from '../node/ed25519-public-key.ts';
import { Ed25519Key } from '../vault/ed25519-key.ts';

/** Remedy for most failures of the audit key. */
const INIT_ADVICE = 'run `signing-service init`, which creates only what is missing';

/**
 * Passes the seed to `use`: 32 bytes in locked memory, wiped afterwards.
 * @throws OperatorError for a missing, malformed or too widely readable file
 * @throws MemoryLockError when memory cannot be locked
 */
function withAuditSeed<Result>(file: string, use: (seed: Buffer) => Result): Result {
  try {
    return withSeedFile(file, 'the audit key', use);
  } catch (error) {
    throw toOperatorError(error);
  }
}

function toOperatorError(error: unknown): unknown {
  if (!(error instanceof KeyFileError)) return error;
  const remedy = isMissingFile(error)
    ? `Restore it, or set SIGNING_AUDIT_KEY_FILE to its path. If there never was one, ${INIT_ADVICE}.`
    : `Repair it, or set SIGNING_AUDIT_KEY_FILE to another file. If the key is lost, move this file and its .pub file to another folder, then ${INIT_ADVICE}.`;
  return new OperatorError(`The audit key cannot be read: ${error.message}. ${remedy}`, { cause: error });
}

/** Signs checkpoints of the audit file, and nothing else. */
export class AuditKey extends Ed25519Key {
  /**
   * Reads the key from its file.
   * @throws OperatorError that names the file, SIGNING_AUDIT_KEY_FILE and what to do
   * @throws MemoryLockError when memory cannot be locked
   */
  static open(file: string): AuditKey {
    return withAuditSeed(file, (seed) => new AuditKey(seed));
  }
}

/** Well above the 113 bytes of such a file. */
const MAX_FILE_BYTES = 1024;

/** Path of the public half: `keyFile` with `.pub` appended. */
export function getPublicKeyFile(keyFile: string): string {
  return `${keyFile}.pub`;
}

/**
 * Whether the file of the public half exists. A pipe does not block.
 * @throws OperatorError when it holds anything else
 */
export function hasPublicKeyFile(keyFile: string, publicKey: Buffer): boolean {
  const file = getPublicKeyFile(keyFile);
  try {
    const found = withSecretFile(file, MAX_FILE_BYTES, (content) => withPlainLineBreaks(content.toString('latin1')));
    if (found === withPlainLineBreaks(encodePublicKeyPem(publicKey))) return true;
    throw new KeyFileError(file, 'it has different content');
  } catch (error) {
    if (isMissingFile(error)) return false;
    if (!(error instanceof KeyFileError)) throw error;
    throw new OperatorError(
      `${file} is not the public half of the audit key ${keyFile} (SIGNING_AUDIT_KEY_FILE): ${error.message}. ` +
        `Move it to another folder and ${INIT_ADVICE}. If it belongs to an earlier key, keep it: older checkpoints are verified with it.`,
      { cause: error },
    );
  }
}

/**
 * Writes the file of the public half, durably.
 * @throws OperatorError when it cannot be created
 */
function createPublicKeyFile(keyFile: string, publicKey: Buffer): void {
  try {
    createPublicFile(getPublicKeyFile(keyFile), Buffer.from(encodePublicKeyPem(publicKey)));
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    throw new OperatorError(
      `The public half of the audit key ${keyFile} (SIGNING_AUDIT_KEY_FILE) cannot be written beside it: ${error.message}. ` +
        `The key itself is valid. Make its folder writable, then ${INIT_ADVICE}.`,
      { cause: error },
    );
  }
}

/** Editors and mail change line breaks. */
function withPlainLineBreaks(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd();
}

const FOLDER_MODE = 0o700;

interface AuditKeyFile {
  readonly file: string;
  readonly created: boolean;
}

/**
 * Creates a missing audit key (mode 0600, folders 0700) and public half (`<file>.pub`, 0644).
 * Existing files are checked, never overwritten.
 * @throws OperatorError when one cannot be created, is wrong, or does not match the other
 * @throws MemoryLockError when memory cannot be locked
 */
export function createAuditKey(file: string): { readonly key: AuditKeyFile; readonly publicKey: AuditKeyFile } {
  const isNew = !pathExists(file) && createKey(file);
  const key = AuditKey.open(file);
  try {
    const hasPublicKey = hasPublicKeyFile(file, key.publicKey);
    if (!hasPublicKey) createPublicKeyFile(file, key.publicKey);
    return {
      key: { file, created: isNew },
      publicKey: { file: getPublicKeyFile(file), created: !hasPublicKey },
    };
  } finally {
    key.destroy();
  }
}

/** @returns false when another process created it at the same moment */
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
    throw new OperatorError(`The audit key (SIGNING_AUDIT_KEY_FILE) cannot be created: ${error.message}.`, {
      cause: error,
    });
  }
}

/** It would not match, and older checkpoints may need it. */
function assertNoPublicKey(file: string): void {
  const publicKeyFile = getPublicKeyFile(file);
  if (!pathExists(publicKeyFile)) return;
  throw new OperatorError(
    `${publicKeyFile} exists, but its audit key ${file} (SIGNING_AUDIT_KEY_FILE) does not, so no new key was created. ` +
      'Restore that key. To create a new one, move this file to another folder and keep it: older checkpoints are verified with it.',
  );
}

function makeFoldersOf(file: string): readonly string[] {
  try {
    return createFolders(dirname(file), FOLDER_MODE);
  } catch (error) {
    throw unreachable(file, error);
  }
}

/** @throws OperatorError for a dangling link: nothing is created through a link */
function pathExists(file: string): boolean {
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
  return new OperatorError(
    `The audit key ${file} (SIGNING_AUDIT_KEY_FILE) cannot be created: its folder cannot be accessed or created (${systemErrorCode(error)}). Check the path and the permissions of its folders.`,
    { cause: error },
  );
}
