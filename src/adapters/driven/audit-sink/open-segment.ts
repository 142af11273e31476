import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { type ChainHead, MAX_LINE_BYTES } from '../../../audit-trail/audit-record.ts';
import { type ReadRecord, readRecord } from '../../../audit-trail/read-record.ts';
import { publicKeyOf, type SegmentReason, segmentData } from '../../../audit-trail/segment.ts';
import {
  type AuditSigningKey,
  type ChainedRecord,
  chainEntry,
  signRecord,
} from '../../../audit-trail/signed-record.ts';
import { NO_REQUEST } from '../../../domain/model/audit-entry.ts';
import type { Clock } from '../../../ports/clock.ts';
import { foreignFileFault, interferenceFault, lockedFault } from './audit-file-fault.ts';
import {
  type FileOperations,
  type FileReading,
  type FileStatus,
  isSameFile,
  type OpenFile,
  readFully,
  recordFlags,
  syncFolder,
  writeFully,
} from './file-operations.ts';

/** The writer of a chain, as the records of its files name it. */
export interface AuditWriterIdentity {
  readonly key: AuditSigningKey;
  readonly instanceId: string;
  readonly clock: Clock;
}

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
  /** The last of them, which is signed. */
  readonly head: ChainHead;
  /** Its first record, where this process made it; null for a file that was there before. */
  readonly begunWith: ChainedRecord | null;
}

/** How an audit file begins. */
export interface FirstRecord {
  readonly record: ReadRecord;
  /** The key that signs the file's records, 32 bytes. */
  readonly publicKey: Buffer;
}

const NEWLINE = 0x0a;
const FILE_MODE = 0o600;
const PERMISSIONS = 0o777;

/**
 * Begins a file at `path`, where there is none or an empty one (logrotate's `create`), with a
 * signed segment record; when this returns, that is durable, was read back, and no other process
 * has the file. A file that it makes gets the owner and mode of the one before it, where there was
 * one. When it fails, nothing of it stays.
 */
export async function beginSegment(
  path: string,
  reason: SegmentReason,
  head: ChainHead,
  writer: AuditWriterIdentity,
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
    const begunWith = segmentRecord(reason, head, writer);
    const bytes = Buffer.from(`${begunWith.line}\n`);
    isOwn = true;
    await writeDurably(fd, bytes, operations);
    const { dev, ino } = await operations.fstat(fd);
    const begun = { fd, dev, ino, begunAt: writer.clock.now() };
    return { ...begun, firstSeq: head.seq + 1, size: bytes.length, head: begunWith.head, begunWith };
  } catch (error) {
    if (isOwn) await discard(path, fd, operations).catch(() => undefined);
    await operations.close(fd).catch(() => undefined);
    throw error;
  }
}

/**
 * Reads the segment record with which every audit file begins, so that records are never added to
 * a file that was named by mistake. Null for empty files and those without a whole line: what they
 * hold is for `findTornTail` to judge.
 * @throws AuditUnavailableError when it begins with something else
 */
export async function readFirstRecord(file: OpenFile, operations: FileReading): Promise<FirstRecord | null> {
  const start = await readFully(file.fd, 0, Math.min(file.size, MAX_LINE_BYTES), operations);
  const end = start.indexOf(NEWLINE);
  if (end === -1 && file.size < MAX_LINE_BYTES) return null;
  const record = readRecord(start.toString('utf8', 0, Math.max(end, 0)));
  if ('fault' in record) throw foreignFileFault(file.path, `its first line ${record.fault}`);
  const publicKey = publicKeyOf(record.data);
  if (record.event === 'segment' && publicKey !== null) return { record, publicKey };
  throw foreignFileFault(file.path, 'its first line is not the record with which every audit file begins');
}

function segmentRecord(
  reason: SegmentReason,
  head: ChainHead,
  { key, instanceId, clock }: AuditWriterIdentity,
): ChainedRecord {
  const time = new Date(clock.now()).toISOString();
  const data = segmentData(reason, key.publicKey);
  return signRecord(
    chainEntry({ ...NO_REQUEST, time, event: 'segment', outcome: 'success', data, instanceId }, head),
    key,
  );
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
