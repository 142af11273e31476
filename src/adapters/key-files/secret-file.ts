import { closeSync, readSync, type Stats } from 'node:fs';
import { findPermissionIssue } from '../files/file-permissions.ts';
import { openRegularFileSync } from '../files/open-regular-file.ts';
import { createFileSync, replaceFileSync } from '../files/replace-file.ts';
import { systemErrorCode } from '../files/system-error-code.ts';
import { withLockedBytes } from '../vault/locked-buffer.ts';

/**
 * A secret file can't be read, written or decoded. The message names file, problem and remedy;
 * neither it nor the cause has any of the content.
 */
export class KeyFileError extends Error {
  override readonly name = 'KeyFileError';
  /** Path as configured. */
  readonly file: string;

  constructor(file: string, problem: string, cause?: unknown) {
    super(`${file}: ${problem}`, { cause });
    this.file = file;
  }
}

/** Whether reading failed because the file is missing. */
export function isMissingFile(error: unknown): boolean {
  return hasCause(error, 'ENOENT');
}

/** Whether creating failed because the path exists; it is unchanged. */
export function isExistingFile(error: unknown): boolean {
  return hasCause(error, 'EEXIST');
}

function hasCause(error: unknown, code: string): boolean {
  return error instanceof KeyFileError && systemErrorCode(error.cause) === code;
}

const OWNER_ONLY = 0o600;
const WORLD_READABLE = 0o644;

const READ_ADVICE: { readonly [code: string]: string } = {
  ENOENT: 'there is no such file; check the path',
  ENOTDIR: 'a part of this path is no folder; check the path',
  ELOOP: 'its symbolic links lead in a circle; check the path',
  EISDIR: 'it is a folder; name the file in it',
  EINVAL: 'it is no regular file; put the secret into a regular file',
  EACCES: 'this user may not read it; give read permission on it to the user who runs this program',
  EPERM: 'this user may not read it; give read permission on it to the user who runs this program',
};

const CREATE_ADVICE: { readonly [code: string]: string } = {
  EEXIST: 'it exists already and was left as it is; name another file, or move that one away first',
  ENOENT: 'its folder does not exist; create the folder first',
  ENOTDIR: 'a part of this path is no folder; check the path',
  EACCES: 'this user may not create a file in that folder; change the permission of the folder, or choose another',
  EPERM: 'this user may not create a file in that folder; change the permission of the folder, or choose another',
  EROFS: 'that file system is read-only; choose another folder',
  ENOSPC: 'the disk is full; nothing was kept; make room and try again',
  EDQUOT: 'the disk quota is used up; nothing was kept; make room and try again',
};

/**
 * Reads a whole file into locked memory, passes it to `use` and wipes it. Follows symbolic links
 * (Kubernetes secrets).
 * @param use also receives fstat(2) of the open file
 * @throws KeyFileError if unreadable, not regular, empty, too large, or modified meanwhile
 */
export function withSecretFile<Result>(
  path: string,
  maxBytes: number,
  use: (content: Buffer, stats: Stats) => Result,
): Result {
  const { descriptor, stats } = openForReading(path, maxBytes);
  try {
    const { size } = stats;
    if (size === 0) throw new KeyFileError(path, 'it is empty; check that the secret was written to it');
    // One extra byte detects growth.
    return withLockedBytes(size + 1, (bytes) => {
      if (readInto(path, descriptor, bytes) !== size) {
        throw new KeyFileError(path, 'it changed while it was read; try again when nothing writes it');
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
 * @throws KeyFileError; `isExistingFile` if the path exists, also as a dangling symbolic link
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
 * @throws KeyFileError; the old file is unchanged
 */
export function replacePublicFile(path: string, bytes: Uint8Array): void {
  writeFile(path, () => replaceFileSync(path, bytes, WORLD_READABLE));
}

function writeFile(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw fileError(path, error, CREATE_ADVICE, 'it could not be written');
  }
}

function openForReading(path: string, maxBytes: number): ReturnType<typeof openRegularFileSync> {
  try {
    return openRegularFileSync(path, { maxBytes });
  } catch (error) {
    const tooLarge = `it has more than the ${maxBytes} bytes allowed; check that it is the right file`;
    throw fileError(path, error, { ...READ_ADVICE, EFBIG: tooLarge }, 'it could not be opened');
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
    throw fileError(path, error, READ_ADVICE, 'it could not be read');
  }
}

function fileError(
  path: string,
  error: unknown,
  advice: { readonly [code: string]: string },
  fallback: string,
): KeyFileError {
  const code = systemErrorCode(error);
  return new KeyFileError(path, advice[code] ?? `${fallback} (${code}); check the path and the disk`, error);
}

/**
 * Rejects a key file that other users can access.
 * @param stats fstat(2) of the open file, against races
 * @param content for the message: `the master key`
 * @throws KeyFileError with the chmod to run
 */
export function assertPrivate(file: string, stats: Stats, content: string): void {
  const issue = findPermissionIssue(file, stats, 'secret', content);
  if (issue === null) return;
  throw new KeyFileError(
    file,
    `${issue}. A mounted secret gets its mode where it is mounted, and by default one that is too open: \`defaultMode: 0400\` of a Kubernetes volume, ` +
      '`mode: 0400` and `uid` of a Docker Swarm secret; 0440 where the file belongs to another user than the one who runs this program',
  );
}
