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
import { systemErrorCode } from '../../files/system-error-code.ts';
import type { ReadableFile } from '../record/file-lines.ts';
import { synchronousWritesError } from './audit-file-error.ts';

/** `dev` and `ino` identify the file whatever its path. */
export interface FileStatus {
  readonly dev: number;
  readonly ino: number;
  /** Number of links; 0 when removed. */
  readonly nlink: number;
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  isFile(): boolean;
}

/** Reading by file descriptor. */
export interface DescriptorReader {
  /** Reads into `buffer` from `position`; returns the number of bytes. */
  read(fd: number, buffer: Uint8Array, position: number): Promise<number>;
}

/** System calls by descriptor; each rejects with Node's error. */
export interface FileOperations extends DescriptorReader {
  open(path: string, flags: number, mode?: number): Promise<number>;
  /**
   * Writes `bytes` from `offset` on; returns how many, perhaps fewer. With O_DSYNC they are durable
   * on return, and may be even after a rejection; otherwise only `fdatasync` or `fsync` makes them
   * so.
   */
  write(fd: number, bytes: Uint8Array, offset: number): Promise<number>;
  fstat(fd: number): Promise<FileStatus>;
  /** Status of the path itself, without following links. */
  stat(path: string): Promise<FileStatus>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
  /** Bytes available to this user in the file system. */
  freeBytes(path: string): Promise<number>;
  fchmod(fd: number, mode: number): Promise<void>;
  fchown(fd: number, uid: number, gid: number): Promise<void>;
  /** Takes the advisory lock until close or exit; false when taken. */
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

/** Node's own calls. */
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
 * Flags for appending records. With O_DSYNC a write returns when bytes and file length are durable
 * ("synchronized I/O data integrity completion", open(2)).
 * @param path the audit file, for the error
 * @param platform the constants of `node:fs`
 * @throws AuditUnavailableError without O_DSYNC
 */
export function recordFlags(path: string, platform: { readonly O_DSYNC?: number } = constants): number {
  if (platform.O_DSYNC === undefined) throw synchronousWritesError(path);
  return constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | platform.O_DSYNC;
}

/** Writes all of `bytes`, in as many calls as needed. */
export async function writeFully(fd: number, bytes: Uint8Array, operations: FileOperations): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const written = await operations.write(fd, bytes, offset);
    if (written === 0) throw new Error('the system wrote none of the bytes');
    offset += written;
  }
}

/** Reads exactly `length` bytes from `position` on. */
export async function readFully(
  fd: number,
  position: number,
  length: number,
  operations: DescriptorReader,
): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  for (let offset = 0; offset < length; ) {
    const read = await operations.read(fd, bytes.subarray(offset), position + offset);
    if (read === 0) throw new Error('the file shrank while it was being read');
    offset += read;
  }
  return bytes;
}

/** Status of the path; null when missing. */
export async function statOrNull(path: string, operations: FileOperations): Promise<FileStatus | null> {
  try {
    return await operations.stat(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** An open file for the readers of lines. */
export function toReadableFile(fd: number, operations: DescriptorReader): ReadableFile {
  return {
    read: async (buffer, offset, length, position) => ({
      bytesRead: await operations.read(fd, buffer.subarray(offset, offset + length), position),
    }),
  };
}
