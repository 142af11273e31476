import { dirname } from 'node:path';
import { inContext, OperatorError } from '../../domain/model/errors.ts';
import { fileError } from '../files/file-advice.ts';
import { createFolders, removeEmptyFolders } from '../files/folders.ts';
import { createPublicFile, pathExists } from '../files/replace-file.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { encodePublicKeyPem } from '../node/ed25519-public-key.ts';
import { withSecretFile } from '../secret-files/secret-file.ts';
import { createSeedFile, withSeedFile } from '../secret-files/seed-file.ts';
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
    const remedy =
      systemErrorCode(error) === 'ENOENT'
        ? `Restore it, or set SIGNING_AUDIT_KEY_FILE to its path. If there never was one, ${INIT_ADVICE}.`
        : `Repair it, or set SIGNING_AUDIT_KEY_FILE to another file. If the key is lost, move this file and its .pub file to another folder, then ${INIT_ADVICE}.`;
    throw inContext(error, (message) => `The audit key cannot be read: ${message} ${remedy}`);
  }
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
    throw fileError(file, 'it has different content');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return false;
    throw inContext(
      error,
      (message) =>
        `${file} is not the public half of the audit key ${keyFile} (SIGNING_AUDIT_KEY_FILE): ${message} ` +
        `Move it to another folder and ${INIT_ADVICE}. If it belongs to an earlier key, keep it: older checkpoints are verified with it.`,
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
    throw inContext(
      error,
      (message) =>
        `The public half of the audit key ${keyFile} (SIGNING_AUDIT_KEY_FILE) cannot be written beside it: ${message} ` +
        `The key itself is valid. Make its folder writable, then ${INIT_ADVICE}.`,
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
  const isNew = createIfMissing(file);
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

/** @returns whether this call created it */
function createIfMissing(file: string): boolean {
  try {
    return !pathExists(file) && createKey(file);
  } catch (error) {
    throw inContext(error, (message) => `The audit key ${file} (SIGNING_AUDIT_KEY_FILE) cannot be created: ${message}`);
  }
}

/** @returns false when another process created it at the same moment */
function createKey(file: string): boolean {
  assertNoPublicKey(getPublicKeyFile(file));
  const folders = createFolders(dirname(file), FOLDER_MODE);
  try {
    createSeedFile(file);
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    removeEmptyFolders(folders);
    throw error;
  }
}

/** It would not match, and older checkpoints may need it. */
function assertNoPublicKey(publicKeyFile: string): void {
  if (!pathExists(publicKeyFile)) return;
  throw new OperatorError(
    `${publicKeyFile} exists, but not its audit key. Restore that key. To create a new one, ` +
      'move this file to another folder and keep it: older checkpoints are verified with it.',
  );
}
