import { readFileSync } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import type { FileSystem } from '../../src/adapters/audit/writer/file-system.ts';

/** An open file of {@link FileCalls}. */
export interface OpenFile {
  readonly path: string;
  /** Of open(2). */
  readonly flags: number;
  readonly handle: FileHandle;
}

/** The calls of the audit writer, by file; a test replaces some to let them fail or hang. */
export interface FileCalls extends FileSystem {
  /** One write(2). @returns the number of bytes written */
  write(file: OpenFile, bytes: Uint8Array): Promise<number>;
  /**
   * fdatasync(2), also as the second step of a write to a file opened with O_DSYNC ("as though each
   * write(2) was followed by a call to fdatasync(2)", open(2)), which then throws its error.
   */
  datasync(file: OpenFile): Promise<void>;
  sync(file: OpenFile): Promise<void>;
  truncate(file: OpenFile, size: number): Promise<void>;
  stat(file: OpenFile): ReturnType<FileHandle['stat']>;
  chmod(file: OpenFile, mode: number): Promise<void>;
  chown(file: OpenFile, uid: number, gid: number): Promise<void>;
  close(file: OpenFile): Promise<void>;
}

/** O_DSYNC of Linux (fcntl.h), independent of the service. */
const LINUX_O_DSYNC = 0o10000;
/** Segments, but no copy of one. */
const SEGMENT = /\.\d{12}(_\d+)?(\.jsonl)?$/;

const { link, lstat, open, rename, statfs, unlink } = fs;

/** Node's own calls. */
export const nodeCalls: FileCalls = {
  ...{ link, lstat, open, rename, statfs, unlink },
  write: async ({ handle }, bytes) => (await handle.write(bytes)).bytesWritten,
  datasync: ({ handle }) => handle.datasync(),
  sync: ({ handle }) => handle.sync(),
  truncate: ({ handle }, size) => handle.truncate(size),
  stat: ({ handle }) => handle.stat(),
  chmod: ({ handle }, mode) => handle.chmod(mode),
  chown: ({ handle }, uid, gid) => handle.chown(uid, gid),
  close: ({ handle }) => handle.close(),
};

/**
 * The file system that makes these calls; it refuses to write records by a descriptor without
 * O_DSYNC.
 * @param calls looked up with each call
 */
export function toFileSystem(calls: FileCalls): FileSystem {
  const late =
    (name: 'link' | 'lstat' | 'rename' | 'statfs' | 'unlink') =>
    (...args: never[]) =>
      (calls[name] as (...args: never[]) => unknown)(...args);
  return {
    ...Object.fromEntries((['link', 'lstat', 'rename', 'statfs', 'unlink'] as const).map((name) => [name, late(name)])),
    open: async (path: string, flags: number, mode?: number) => {
      const handle = await calls.open(path, flags, mode);
      return observed({ path, flags, handle }, calls);
    },
  } as unknown as FileSystem;
}

/** A handle whose calls are these. */
function observed(file: OpenFile, calls: FileCalls): FileHandle {
  const isSynchronous = hasSynchronousWrites(file.handle.fd);
  const own = {
    write: async (bytes: Uint8Array, offset = 0) => {
      if (SEGMENT.test(file.path) && !isSynchronous) throw new Error(`${file.path} has no synchronous writes`);
      const bytesWritten = await calls.write(file, bytes.subarray(offset));
      if (isSynchronous) await calls.datasync(file);
      return { bytesWritten };
    },
    datasync: () => calls.datasync(file),
    sync: () => calls.sync(file),
    truncate: (size: number) => calls.truncate(file, size),
    stat: () => calls.stat(file),
    chmod: (mode: number) => calls.chmod(file, mode),
    chown: (uid: number, gid: number) => calls.chown(file, uid, gid),
    close: () => calls.close(file),
    read: file.handle.read.bind(file.handle),
    fd: file.handle.fd,
  };
  return own as unknown as FileHandle;
}

/** By the flags of the descriptor (proc_pid_fdinfo(5), octal). */
function hasSynchronousWrites(fd: number): boolean {
  const flags = /^flags:\t([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
  return (Number.parseInt(String(flags), 8) & LINUX_O_DSYNC) !== 0;
}
