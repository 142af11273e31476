import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { syncFolderWith } from '../../files/folders.ts';
import { findSegments, rotatedPath, type SegmentFile } from '../record/segment-files.ts';
import { type FileOperations, isSameFile, readFully, statOrNull, writeFully } from './file-operations.ts';
import { verifyTail } from './file-tail.ts';
import type { OpenSegment } from './open-segment.ts';

const READ_WRITE = constants.O_RDWR | constants.O_NOFOLLOW;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
const FILE_MODE = 0o600;
const PERMISSIONS = 0o777;
const CHUNK_BYTES = 1024 * 1024;
/** Free space required to begin a file after a failed write, bytes. */
const MIN_FREE_BYTES = 1024 * 1024;

/** @throws when the disk is too full to begin a file */
export async function assertDiskSpace(path: string, operations: FileOperations): Promise<void> {
  const free = await operations.freeBytes(dirname(path));
  if (free < MIN_FREE_BYTES)
    throw new Error(`the disk of ${path} has ${free} bytes left, but ${MIN_FREE_BYTES} are required; free some space`);
}

/**
 * Truncates a failed write, unless the size shows another writer. Never throws.
 * @param attempted number of bytes of the failed write
 */
export async function truncateTo(
  { fd, size }: OpenSegment,
  attempted: number,
  operations: FileOperations,
): Promise<void> {
  const found = await operations.fstat(fd).catch(() => null);
  if (found === null || found.size < size || found.size > size + attempted) return;
  await operations.ftruncate(fd, size).catch(() => undefined);
}

/**
 * Renames the file for its records, if still at the path.
 * @throws when the name is taken or the rename fails
 */
export async function renameRotated(path: string, segment: OpenSegment, operations: FileOperations): Promise<void> {
  const found = await statOrNull(path, operations);
  if (found === null || !isSameFile(found, segment)) return;
  const target = rotatedPath(path, segment.firstSeq, segment.head.seq);
  await assertFree(target, operations);
  await operations.rename(path, target);
}

async function assertFree(target: string, operations: FileOperations): Promise<void> {
  if ((await statOrNull(target, operations)) === null) return;
  throw new Error(`${target} already exists; move it to another folder`);
}

/**
 * After a failed write: truncates through a new descriptor, durably, and verifies the end. A file
 * without a name is copied.
 * @returns false when another program wrote to it
 * @throws when it cannot be read, truncated or copied
 */
export async function repairTail(
  path: string,
  segment: OpenSegment,
  publicKey: Uint8Array,
  operations: FileOperations,
): Promise<boolean> {
  const ownPath = await findOwnPath(path, segment, operations);
  if (ownPath === null) {
    await saveCopy(path, segment, operations);
    return true;
  }
  const fd = await operations.open(ownPath, READ_WRITE);
  try {
    if (!isSameFile(await operations.fstat(fd), segment)) throw new Error(`${ownPath} was moved in the meantime`);
    const tail = { path: ownPath, publicKey: Buffer.from(publicKey) };
    if (!(await endsWithLast(tail, fd, segment.size, segment, operations))) return false;
    await operations.ftruncate(fd, segment.size);
    await operations.fsync(fd);
    return true;
  } finally {
    await operations.close(fd);
  }
}

/** Copies an open but removed file to its rotated name, all or nothing, unless a copy exists. */
export async function saveCopy(path: string, segment: OpenSegment, operations: FileOperations): Promise<void> {
  if (await hasCopy(path, segment, operations)) return;
  const target = rotatedPath(path, segment.firstSeq, segment.head.seq);
  await assertFree(target, operations);
  const copy = `${target}.tmp`;
  try {
    await writeCopy(copy, segment, operations);
    await operations.rename(copy, target);
  } catch (error) {
    await operations.unlink(copy).catch(() => undefined);
    throw error;
  }
  await syncFolderWith(dirname(target), operations);
}

/**
 * Renames another program's file at the path to `<file>.set-aside-<time>`; removes an empty one.
 * Requires operator approval, unless another file has all records (logrotate's `copytruncate`).
 * @returns false to wait for an operator
 */
export async function quarantine(
  path: string,
  segment: OpenSegment,
  isOrdered: boolean,
  now: number,
  operations: FileOperations,
): Promise<boolean> {
  const found = await statOrNull(path, operations);
  if (found === null) return true;
  const isOwn = isSameFile(found, segment);
  if (!isOrdered && !(isOwn && found.size < segment.size && (await hasCopy(path, segment, operations)))) return false;
  if (!isOwn && found.size === 0) return true;
  const time = new Date(now).toISOString().replaceAll(/[-:.]/g, '');
  const target = `${path}.set-aside-${time}`;
  await operations.rename(path, target);
  if (found.size === 0) await operations.unlink(target);
  await syncFolderWith(dirname(path), operations);
  return true;
}

/** The path of the open file; null when not beside its original one. */
async function findOwnPath(path: string, segment: OpenSegment, operations: FileOperations): Promise<string | null> {
  const isOwn = async (candidate: string) => {
    const found = await statOrNull(candidate, operations);
    return found !== null && isSameFile(found, segment);
  };
  if (await isOwn(path)) return path;
  for (const candidate of await findSegments(path)) {
    if (await isOwn(candidate.path)) return candidate.path;
  }
  return null;
}

/** The copy keeps owner and mode. */
async function writeCopy(copy: string, { fd: from, size }: OpenSegment, operations: FileOperations): Promise<void> {
  const fd = await operations.open(copy, NEW_FILE, FILE_MODE);
  try {
    for (let position = 0; position < size; position += CHUNK_BYTES) {
      const length = Math.min(CHUNK_BYTES, size - position);
      await writeFully(fd, await readFully(from, position, length, operations), operations);
    }
    const { uid, gid, mode } = await operations.fstat(from);
    await operations.fchown(fd, uid, gid).catch(() => undefined);
    await operations.fchmod(fd, mode & PERMISSIONS);
    await operations.fsync(fd);
  } finally {
    await operations.close(fd);
  }
}

/** Whether a file beside it ends with the last acknowledged record. */
async function hasCopy(path: string, own: OpenSegment, operations: FileOperations): Promise<boolean> {
  for (const segment of await findSegments(path)) {
    if (segment.path === path || segment.first.seq !== own.firstSeq) continue;
    const fd = await operations.open(segment.path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const { size } = await operations.fstat(fd);
      if (await endsWithLast(segment, fd, size, own, operations)) return true;
    } finally {
      await operations.close(fd);
    }
  }
  return false;
}

/** Whether `size` bytes of a file end with the last acknowledged record. */
async function endsWithLast(
  file: Pick<SegmentFile, 'path' | 'publicKey'>,
  fd: number,
  size: number,
  { head }: OpenSegment,
  operations: FileOperations,
): Promise<boolean> {
  try {
    const end = await verifyTail(file, fd, size, operations);
    return end.size === size && end.head?.hash === head.hash;
  } catch (error) {
    if (error instanceof AuditUnavailableError) return false;
    throw error;
  }
}
