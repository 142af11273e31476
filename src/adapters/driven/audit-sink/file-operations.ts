import {
  close,
  constants,
  fchmod,
  fchown,
  fdatasync,
  fstat,
  fsync,
  ftruncate,
  lstat,
  open,
  read,
  rename,
  statfs,
  unlink,
  write,
} from 'node:fs';
import { promisify } from 'node:util';
import fsNative from 'fs-native-extensions';
import { noSynchronousWritesFault } from './audit-file-fault.ts';

/** What the system knows of a file. `dev` and `ino` together name it, whatever its path is by now. */
export interface FileStatus {
  readonly dev: number;
  readonly ino: number;
  /** Names that the file has; 0 when it was removed. */
  readonly nlink: number;
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  isFile(): boolean;
}

/** Reading by file descriptor. */
export interface FileReading {
  /** Reads into `buffer` from `position` of the file; returns how many bytes. */
  read(fd: number, buffer: Uint8Array, position: number): Promise<number>;
}

/**
 * The system calls that a durable file needs, by file descriptor. Each rejects with Node's error of
 * the same call.
 */
export interface FileOperations extends FileReading {
  open(path: string, flags: number, mode?: number): Promise<number>;
  /**
   * Writes `bytes` from `offset` on; returns how many were written, which may be fewer than asked. On a descriptor that was opened with O_DSYNC it returns when these are durable; when it rejects there, they may be
   * on the file nevertheless, durable or not. On others nothing is known to be durable before `fdatasync` or `fsync` has returned.
   */
  write(fd: number, bytes: Uint8Array, offset: number): Promise<number>;
  fstat(fd: number): Promise<FileStatus>;
  /** What lies under the path itself: links are not followed here, nor when the file is opened. */
  stat(path: string): Promise<FileStatus>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Bytes that this user can still write to the file system of a file. */
  freeBytes(path: string): Promise<number>;
  fchmod(fd: number, mode: number): Promise<void>;
  fchown(fd: number, uid: number, gid: number): Promise<void>;
  /** Takes the advisory lock on the file, until it is closed or the process ends; false when another process has it. */
  tryLock(fd: number): boolean;
  ftruncate(fd: number, size: number): Promise<void>;
  /** Makes durable what any descriptor has written to the file. */
  fdatasync(fd: number): Promise<void>;
  fsync(fd: number): Promise<void>;
  close(fd: number): Promise<void>;
}

const readFile = promisify(read);
const writeFile = promisify(write);
const fileSystemStatus = promisify(statfs);

/** The operating system's own calls, by way of `node:fs`. */
export const nodeFileOperations: FileOperations = {
  open: promisify(open),
  read: async (fd, buffer, position) => (await readFile(fd, buffer, 0, buffer.length, position)).bytesRead,
  write: async (fd, bytes, offset) => (await writeFile(fd, bytes, offset, bytes.length - offset, null)).bytesWritten,
  fstat: promisify(fstat),
  stat: promisify(lstat),
  rename: promisify(rename),
  unlink: promisify(unlink),
  freeBytes: async (path) => {
    const { bavail, bsize } = await fileSystemStatus(path);
    return bavail * bsize;
  },
  fchmod: promisify(fchmod),
  fchown: promisify(fchown),
  tryLock: (fd) => fsNative.tryLock(fd),
  ftruncate: promisify(ftruncate),
  fdatasync: promisify(fdatasync),
  fsync: promisify(fsync),
  close: promisify(close),
};

/** Whether these are the same file. */
export function isSameFile(left: Pick<FileStatus, 'dev' | 'ino'>, right: Pick<FileStatus, 'dev' | 'ino'>): boolean {
  return left.dev === right.dev && left.ino === right.ino;
}

/** An open file of `size` bytes. */
export interface OpenFile {
  readonly path: string;
  readonly fd: number;
  readonly size: number;
}

/**
 * Flags of each descriptor that records are appended to. With O_DSYNC a write returns when its
 * bytes are durable, and as much of the file's length as reading them needs ("synchronized I/O data
 * integrity completion", open(2)): write and fdatasync in one call.
 * @param path the audit file, for the error
 * @param platform the constants of `node:fs`
 * @throws AuditUnavailableError where the platform has no synchronous writes
 */
export function recordFlags(path: string, platform: { readonly O_DSYNC?: number } = constants): number {
  if (platform.O_DSYNC === undefined) throw noSynchronousWritesFault(path);
  return constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | platform.O_DSYNC;
}

/** Writes all of `bytes`, in as many calls as the system needs. */
export async function writeFully(fd: number, bytes: Uint8Array, operations: FileOperations): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const written = await operations.write(fd, bytes, offset);
    if (written === 0) throw new Error('the system took none of the bytes to write');
    offset += written;
  }
}

/** Reads exactly `length` bytes from `position` on. */
export async function readFully(
  fd: number,
  position: number,
  length: number,
  operations: FileReading,
): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let offset = 0; offset < length; ) {
    const read = await operations.read(fd, bytes.subarray(offset), position + offset);
    if (read === 0) throw new Error('the file shrank while it was read');
    offset += read;
  }
  return bytes;
}

/**
 * Makes durable which files `folder` holds: a new file survives a power cut only once its folder
 * was synced too.
 */
export async function syncFolder(folder: string, operations: FileOperations): Promise<void> {
  const fd = await operations.open(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await operations.fsync(fd);
  } finally {
    await operations.close(fd);
  }
}

/** The file at the path; null when there is none. */
export async function statIfThere(path: string, operations: FileOperations): Promise<FileStatus | null> {
  try {
    return await operations.stat(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}
