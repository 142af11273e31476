import { closeSync, readSync, type Stats } from 'node:fs';
import { adviseOnCreating, adviseOnReading, fileError } from '../files/file-advice.ts';
import { findPermissionIssue } from '../files/file-permissions.ts';
import { openRegularFileSync } from '../files/open-regular-file.ts';
import { createFileSync, replaceFileSync } from '../files/replace-file.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { withLockedBytes } from '../vault/locked-buffer.ts';

/** Whether reading failed because the file is missing. */
export function isMissingFile(error: unknown): boolean {
  return systemErrorCode(error) === 'ENOENT';
}

/** Whether creating failed because the path exists; it is unchanged. */
export function isExistingFile(error: unknown): boolean {
  return systemErrorCode(error) === 'EEXIST';
}

const OWNER_ONLY = 0o600;
const WORLD_READABLE = 0o644;

/**
 * Reads a whole file into locked memory, passes it to `use` and wipes it. Follows symbolic links
 * (Kubernetes secrets).
 * @param use also receives fstat(2) of the open file
 * @throws OperatorError if unreadable, not regular, empty, too large, or modified meanwhile
 */
export function withSecretFile<Result>(
  path: string,
  maxBytes: number,
  use: (content: Buffer, stats: Stats) => Result,
): Result {
  const { descriptor, stats } = openForReading(path, maxBytes);
  try {
    const { size } = stats;
    if (size === 0) throw fileError(path, 'it is empty; check that the secret was written to it');
    // One extra byte detects growth.
    return withLockedBytes(size + 1, (bytes) => {
      if (readInto(path, descriptor, bytes) !== size) {
        throw fileError(path, 'it changed while it was being read; try again when no program writes to it');
      }
      return use(bytes.subarray(0, size), stats);
    });
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Creates a file of mode 0600 from `bytes` without copying them. Durable on return; leaves no file
 * on failure.
 * @throws OperatorError; `isExistingFile` if the path exists, also as a dangling symbolic link
 */
export function createSecretFile(path: string, bytes: Uint8Array): void {
  writeFile(path, () => createFileSync(path, bytes, OWNER_ONLY));
}

/** Like {@link createSecretFile} for public content: mode 0644, less the umask. */
export function createPublicFile(path: string, bytes: Uint8Array): void {
  writeFile(path, () => createFileSync(path, bytes, WORLD_READABLE));
}

/**
 * {@link createPublicFile} that atomically replaces the file.
 * @throws OperatorError; the old file is unchanged
 */
export function replacePublicFile(path: string, bytes: Uint8Array): void {
  writeFile(path, () => replaceFileSync(path, bytes, WORLD_READABLE));
}

function writeFile(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw fileError(path, adviseOnCreating(error), error);
  }
}

function openForReading(path: string, maxBytes: number): ReturnType<typeof openRegularFileSync> {
  try {
    return openRegularFileSync(path, { maxBytes });
  } catch (error) {
    throw fileError(path, adviseOnReading(error), error);
  }
}

function readInto(path: string, descriptor: number, bytes: Buffer): number {
  let total = 0;
  while (total < bytes.length) {
    const count = readChunk(path, descriptor, bytes, total);
    if (count === 0) return total;
    total += count;
  }
  return total;
}

function readChunk(path: string, descriptor: number, bytes: Buffer, offset: number): number {
  try {
    return readSync(descriptor, bytes, offset, bytes.length - offset, null);
  } catch (error) {
    throw fileError(path, adviseOnReading(error), error);
  }
}

/**
 * Rejects a key file that other users can access.
 * @param stats fstat(2) of the open file, against races
 * @param content for the message: `the master key`
 * @throws OperatorError with the chmod to run
 */
export function assertPrivate(file: string, stats: Stats, content: string): void {
  const issue = findPermissionIssue(file, stats, 'secret', content);
  if (issue === null) return;
  throw fileError(
    file,
    `${issue}. Set the mode of a mounted secret where it is mounted; the default is too open: \`defaultMode: 0400\` of a Kubernetes volume, ` +
      '`mode: 0400` and `uid` of a Docker Swarm secret; 0440 if the file belongs to another user than the user of this program',
  );
}
