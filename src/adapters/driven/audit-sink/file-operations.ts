import { close, fdatasync, fstat, fsync, ftruncate, mkdir, open, read, stat, write } from 'node:fs';
import { promisify } from 'node:util';
import fsNative from 'fs-native-extensions';

/** What the system knows of a file. `dev` and `ino` together name it, whatever its path is by now. */
export interface FileStatus {
  readonly dev: number;
  readonly ino: number;
  readonly size: number;
  isFile(): boolean;
}

/** The system calls that a durable file needs, by file descriptor. Each rejects with Node's error of the same call. */
export interface FileOperations {
  /** Creates a folder and its missing parents; returns the topmost one that it created, undefined when none was missing. */
  mkdir(path: string, mode: number): Promise<string | undefined>;
  open(path: string, flags: number, mode?: number): Promise<number>;
  /** Reads into `buffer` from `position` of the file; returns how many bytes. */
  read(fd: number, buffer: Uint8Array, position: number): Promise<number>;
  /** Writes `bytes` from `offset` on; returns how many were written, which may be fewer than asked. */
  write(fd: number, bytes: Uint8Array, offset: number): Promise<number>;
  fstat(fd: number): Promise<FileStatus>;
  stat(path: string): Promise<FileStatus>;
  /** Takes the advisory lock on the file, until it is closed or the process ends; false when another process has it. */
  tryLock(fd: number): boolean;
  ftruncate(fd: number, size: number): Promise<void>;
  fdatasync(fd: number): Promise<void>;
  fsync(fd: number): Promise<void>;
  close(fd: number): Promise<void>;
}

const makeFolder = promisify(mkdir);
const readFile = promisify(read);
const writeFile = promisify(write);

/** The operating system's own calls, by way of `node:fs`. */
export const nodeFileOperations: FileOperations = {
  mkdir: (path, mode) => makeFolder(path, { recursive: true, mode }),
  open: promisify(open),
  read: async (fd, buffer, position) => (await readFile(fd, buffer, 0, buffer.length, position)).bytesRead,
  write: async (fd, bytes, offset) => (await writeFile(fd, bytes, offset, bytes.length - offset, null)).bytesWritten,
  fstat: promisify(fstat),
  stat: promisify(stat),
  tryLock: (fd) => fsNative.tryLock(fd),
  ftruncate: promisify(ftruncate),
  fdatasync: promisify(fdatasync),
  fsync: promisify(fsync),
  close: promisify(close),
};
