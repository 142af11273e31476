import { constants } from 'node:fs';
import fs, { type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import fsNative from 'fs-native-extensions';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { lockedError } from './audit-errors.ts';

/** The calls of `node:fs/promises` that the writer makes. */
export type FileSystem = Pick<typeof fs, 'link' | 'lstat' | 'open' | 'rename' | 'statfs' | 'unlink'>;

/** Node's own calls. */
export const nodeFileSystem: FileSystem = fs;

/** `dev` and `ino` identify a file, whatever its path. */
export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

export function isSameFile(left: FileIdentity, right: FileIdentity): boolean {
  return left.dev === right.dev && left.ino === right.ino;
}

/**
 * For appending records. With O_DSYNC a write returns when bytes and file length are durable
 * ("synchronized I/O data integrity completion", open(2)). With O_NONBLOCK, opening a pipe does not
 * wait for its reader.
 */
export const RECORD_FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_DSYNC;

/**
 * Takes the kernel's lock until the file is closed.
 * @throws AuditUnavailableError when another process has it
 */
export function takeLock({ fd }: FileHandle, path: string): void {
  if (!fsNative.tryLock(fd)) throw lockedError(path);
}

/** Writes all of `bytes`, in as many calls as needed. @throws the system's error */
export async function writeFully(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let offset = 0; offset < bytes.length; ) {
    const { bytesWritten } = await handle.write(bytes, offset);
    if (bytesWritten === 0) throw new Error('the system wrote none of the bytes');
    offset += bytesWritten;
  }
}

const TEMPORARY_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
/** Mode of a file without one before it. */
export const FILE_MODE = 0o600;

/** Opens a temporary file, empty also if it was left over. @throws the system's error */
export function openTemporary(path: string, { open }: Pick<FileSystem, 'open'>): Promise<FileHandle> {
  return open(path, TEMPORARY_FLAGS, FILE_MODE);
}

const CHUNK_BYTES = 1024 * 1024;

/**
 * Appends the bytes of one file to another and syncs that one.
 * @throws the system's error, or when the source ends before `stop`
 */
export async function copyBytes(from: FileHandle, to: FileHandle, start: number, stop: number): Promise<void> {
  for (let position = start; position < stop; ) {
    const length = Math.min(CHUNK_BYTES, stop - position);
    const { buffer, bytesRead } = await from.read(Buffer.alloc(length), 0, length, position);
    if (bytesRead === 0) throw new Error('the file shrank while it was being read');
    await writeFully(to, buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
  await to.sync();
}

/** Status of the path itself, without following links; null when missing. */
export async function lstatOrNull(path: string, { lstat }: Pick<FileSystem, 'lstat'>) {
  try {
    return await lstat(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Owner and mode, inherited by the next file. */
export interface FileAccess {
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

const PERMISSIONS = 0o777;

/** Auditors keep access to the next file. Changing the owner requires root, and may fail. */
export async function takeOver(handle: FileHandle, { mode, uid, gid }: FileAccess): Promise<void> {
  const made = await handle.stat();
  if (made.uid !== uid || made.gid !== gid) await handle.chown(uid, gid).catch(() => undefined);
  if (((made.mode ^ mode) & PERMISSIONS) !== 0) await handle.chmod(mode & PERMISSIONS);
}

/** Makes durable what a folder or file contains. @throws the system's error */
export async function syncPath(path: string, fileSystem: Pick<FileSystem, 'open'>): Promise<void> {
  const handle = await fileSystem.open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Free space required to begin a segment after a failure, bytes. */
const MIN_FREE_BYTES = 1024 * 1024;

/** @throws when the disk is too full to begin a segment */
export async function assertDiskSpace(path: string, { statfs }: Pick<FileSystem, 'statfs'>): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path));
  const free = bavail * bsize;
  if (free < MIN_FREE_BYTES)
    throw new Error(`the disk of ${path} has ${free} bytes left, but ${MIN_FREE_BYTES} are required; free some space`);
}

/** A whole block: never a hole, never in the inode. */
const BLOCK = Buffer.alloc(4096, 'probe ');

/**
 * Writes and syncs a block in a temporary file: it needs what a record needs.
 * @throws the system's error
 */
export async function tryWriting(auditFile: string, fileSystem: FileSystem): Promise<void> {
  const path = `${auditFile}.probe.tmp`;
  const handle = await openTemporary(path, fileSystem);
  try {
    await writeFully(handle, BLOCK);
    await handle.datasync();
  } finally {
    await handle.close();
    // A leftover is reused.
    await fileSystem.unlink(path).catch(() => undefined);
  }
}
