import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  type Stats,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { KeyFileError } from './key-file-error.ts';
import { withLockedBytes } from './locked-buffer.ts';

const OWNER_ONLY = 0o600;
const FOR_EVERYBODY_TO_READ = 0o644;

const READ_ADVICE: { readonly [code: string]: string } = {
  ENOENT: 'there is no such file; check the path',
  ENOTDIR: 'a part of this path is no folder; check the path',
  ELOOP: 'its symbolic links lead in a circle; check the path',
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
 * Reads a whole file straight into locked memory, lends exactly its bytes, and wipes them however `use` ends. Symbolic links are followed (a
 * Kubernetes secret is one).
 *
 * @param maxBytes the most that the file may have
 * @param use also gets what the system says of the very file that was opened: its owner, its mode
 * @throws KeyFileError when it can't be read, is no regular file, is empty, is larger, or changes while it is read
 */
export function withSecretFile<Result>(
  path: string,
  maxBytes: number,
  use: (content: Buffer, stats: Stats) => Result,
): Result {
  const descriptor = openForReading(path);
  try {
    const stats = checkedStatus(path, descriptor, maxBytes);
    const { size } = stats;
    // One byte more than the file has, to see it grow.
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
 * Creates a file of mode 0600 and writes `bytes` to it straight from where they are; when this returns, file and folder entry are on disk. When it
 * fails, no file is left.
 *
 * @throws KeyFileError when it can't be created or written; `isExistingFile` when anything stands
 * at   `path`, a dangling symbolic link included
 */
export function createSecretFile(path: string, bytes: Uint8Array): void {
  createFile(path, bytes, OWNER_ONLY);
}

/** The same for what is no secret and belongs beside one, such as a public key: mode 0644, less the umask. Throws the same. */
export function createPublicFile(path: string, bytes: Uint8Array): void {
  createFile(path, bytes, FOR_EVERYBODY_TO_READ);
}

function createFile(path: string, bytes: Uint8Array, mode: number): void {
  const descriptor = openNew(path, mode);
  try {
    writeDurably(descriptor, bytes);
    syncFolder(dirname(path));
  } catch (error) {
    removeQuietly(path);
    throw fileError(path, error, CREATE_ADVICE, 'it could not be written');
  }
}

function openForReading(path: string): number {
  try {
    // Without O_NONBLOCK, opening a pipe would wait for a writer instead of ending in the check for a regular file.
    return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw fileError(path, error, READ_ADVICE, 'it could not be opened');
  }
}

function checkedStatus(path: string, descriptor: number, maxBytes: number): Stats {
  const stats = fstatSync(descriptor);
  if (stats.isDirectory()) throw new KeyFileError(path, 'it is a folder; name the file in it');
  if (!stats.isFile()) throw new KeyFileError(path, 'it is no regular file; put the secret into a regular file');
  if (stats.size === 0) throw new KeyFileError(path, 'it is empty; check that the secret was written to it');
  if (stats.size > maxBytes) {
    throw new KeyFileError(path, `it has more than the ${maxBytes} bytes allowed; check that it is the right file`);
  }
  return stats;
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

function openNew(path: string, mode: number): number {
  try {
    return openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
  } catch (error) {
    throw fileError(path, error, CREATE_ADVICE, 'it could not be created');
  }
}

function writeDurably(descriptor: number, bytes: Uint8Array): void {
  try {
    let total = 0;
    while (total < bytes.length) total += writeSync(descriptor, bytes, total, bytes.length - total, null);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The error that made this necessary is the one to report.
  }
}

function fileError(
  path: string,
  error: unknown,
  advice: { readonly [code: string]: string },
  otherwise: string,
): KeyFileError {
  const code = errorCode(error);
  return new KeyFileError(path, advice[code] ?? `${otherwise} (${code}); check the path and the disk`, error);
}

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
