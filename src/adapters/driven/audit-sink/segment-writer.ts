import { constants } from 'node:fs';
import { dirname } from 'node:path';
import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import type { SegmentReason } from '../../../audit-trail/segment.ts';
import { interferenceFault, lockedFault } from './audit-file-fault.ts';
import { ChainDraft, type Scribe } from './chain-writer.ts';
import { type FileOperations, type FileStatus, isSameFile } from './file-operations.ts';
import { readFully, writeFully } from './full-transfer.ts';
import { recordFlags } from './record-flags.ts';
import { syncFolder } from './sync-folder.ts';

/** Who may read a file: what the file that comes after it takes over. */
export type FileAccess = Pick<FileStatus, 'mode' | 'uid' | 'gid'>;

/** The file that records are added to. */
export interface OpenSegment {
  /** Opened with {@link recordFlags}: what was written to it is durable. */
  readonly fd: number;
  /** The file itself, which its path may not name for ever. */
  readonly dev: number;
  readonly ino: number;
  /** Number of its first record. */
  readonly firstSeq: number;
  /** When its first record was made, milliseconds since 1970. */
  readonly begunAt: number;
  /** Bytes of durable records. */
  readonly size: number;
  /** The last of them, a checkpoint. */
  readonly head: ChainHead;
}

const FILE_MODE = 0o600;
const PERMISSIONS = 0o777;

/**
 * Begins a file at `path`, where there is none or an empty one (logrotate's `create`), with a
 * segment record and a checkpoint; when this returns, that is durable, was read back, and no other
 * process has the file. A file that it makes gets the owner and mode of the one before it, where
 * there was one. When it fails, nothing of it stays.
 */
export async function beginSegment(
  path: string,
  reason: SegmentReason,
  head: ChainHead,
  scribe: Scribe,
  access: FileAccess | null,
  operations: FileOperations,
): Promise<OpenSegment> {
  const { fd, isNew } = await openOrMake(path, operations);
  let isOwn = isNew;
  try {
    const found = await operations.fstat(fd);
    if (!found.isFile() || found.size > 0) throw interferenceFault(path, 'changed');
    if (!operations.tryLock(fd)) throw lockedFault(path);
    if (isNew && access !== null) await takeOver(fd, found, access, operations);
    // Before anything is written: where this fails, there is no record to take back.
    await syncFolder(dirname(path), operations);
    const draft = new ChainDraft(head, scribe);
    draft.addSegment(reason);
    draft.sign();
    const bytes = Buffer.from(draft.text);
    isOwn = true;
    await writeDurably(fd, bytes, operations);
    const { dev, ino } = await operations.fstat(fd);
    const begun = { fd, dev, ino, begunAt: scribe.clock.now() };
    return { ...begun, firstSeq: head.seq + 1, size: bytes.length, head: draft.head };
  } catch (error) {
    if (isOwn) await discard(path, fd, operations).catch(() => undefined);
    await operations.close(fd).catch(() => undefined);
    throw error;
  }
}

/** Writes, which makes durable, and reads back what the file has now. */
async function writeDurably(fd: number, bytes: Buffer, operations: FileOperations): Promise<void> {
  await writeFully(fd, bytes, operations);
  const { size } = await operations.fstat(fd);
  if (size === bytes.length && (await readFully(fd, 0, size, operations)).equals(bytes)) return;
  throw new Error('what was written does not read back as it was');
}

/** Takes away a file on which there is nothing but a record that can't be relied on: the next attempt makes it anew. */
async function discard(path: string, fd: number, operations: FileOperations): Promise<void> {
  await operations.ftruncate(fd, 0).catch(() => undefined);
  if (isSameFile(await operations.stat(path), await operations.fstat(fd))) await operations.unlink(path);
}

async function openOrMake(path: string, operations: FileOperations): Promise<{ fd: number; isNew: boolean }> {
  const flags = recordFlags(path) | constants.O_CREAT;
  try {
    return { fd: await operations.open(path, flags | constants.O_EXCL, FILE_MODE), isNew: true };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return { fd: await operations.open(path, flags, FILE_MODE), isNew: false };
  }
}

/** The auditors who could read the last file can read this one. Only root can give a file away; then it stays this user's, in the group where that is allowed. */
async function takeOver(
  fd: number,
  made: FileStatus,
  { mode, uid, gid }: FileAccess,
  operations: FileOperations,
): Promise<void> {
  if (made.uid !== uid || made.gid !== gid) await operations.fchown(fd, uid, gid).catch(() => undefined);
  await operations.fchmod(fd, mode & PERMISSIONS);
}
