import { constants } from 'node:fs';
import { dirname } from 'node:path';
import { type AuditHead, NO_REQUEST } from '../../../domain/model/audit-entry.ts';
import type { Clock } from '../../../ports/clock.ts';
import { syncFolderWith } from '../../files/folders.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import { type ReadRecord, readRecord } from '../record/read-record.ts';
import { MAX_LINE_BYTES } from '../record/record-fields.ts';
import { getSegmentPublicKey, type SegmentReason, segmentData } from '../record/segment.ts';
import { type AuditSigningKey, type ChainedRecord, chainEntry, signRecord } from '../record/signed-record.ts';
import { lockedError, modificationError, notAuditFileError } from './audit-file-error.ts';
import {
  type DescriptorReader,
  type FileOperations,
  type FileStatus,
  isSameFile,
  type OpenFile,
  readFully,
  recordFlags,
  writeFully,
} from './file-operations.ts';

/** The writer of a chain, as named in its records. */
export interface AuditWriterIdentity {
  readonly key: AuditSigningKey;
  readonly instanceId: string;
  readonly clock: Clock;
}

/** Owner and mode, inherited by the next file. */
export type FileAccess = Pick<FileStatus, 'mode' | 'uid' | 'gid'>;

/** The file that records are appended to. */
export interface OpenSegment {
  /** Opened with {@link recordFlags}: completed writes are durable. */
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
  readonly firstSeq: number;
  /** When its first record was made, milliseconds since 1970. */
  readonly startedAt: number;
  /** Bytes of durable records. */
  readonly size: number;
  /** The last of them, signed. */
  readonly head: AuditHead;
  /** Its first record if this process made it, else null. */
  readonly firstRecord: ChainedRecord | null;
}

export interface FirstRecord {
  readonly record: ReadRecord;
  /** The key that signs the file's records, 32 bytes. */
  readonly publicKey: Buffer;
}

const NEWLINE = 0x0a;
const FILE_MODE = 0o600;
const PERMISSIONS = 0o777;

/**
 * Begins a missing or empty file (logrotate's `create`) with a signed segment record: durable, read
 * back, locked. A created file inherits owner and mode; on failure it is removed.
 */
export async function beginSegment(
  path: string,
  reason: SegmentReason,
  head: AuditHead,
  writer: AuditWriterIdentity,
  access: FileAccess | null,
  operations: FileOperations,
): Promise<OpenSegment> {
  const { fd, isNew } = await openOrCreate(path, operations);
  let isOwn = isNew;
  try {
    const found = await operations.fstat(fd);
    if (!found.isFile() || found.size > 0) throw modificationError(path, 'changed');
    if (!operations.tryLock(fd)) throw lockedError(path);
    if (isNew && access !== null) await takeOver(fd, found, access, operations);
    // Before any write: a failure leaves nothing to take back.
    await syncFolderWith(dirname(path), operations);
    const firstRecord = segmentRecord(reason, head, writer);
    const bytes = Buffer.from(`${firstRecord.line}\n`);
    isOwn = true;
    await writeDurably(fd, bytes, operations);
    const { dev, ino } = await operations.fstat(fd);
    const begun = { fd, dev, ino, startedAt: writer.clock.now() };
    return { ...begun, firstSeq: head.seq + 1, size: bytes.length, head: firstRecord.head, firstRecord };
  } catch (error) {
    if (isOwn) await discard(path, fd, operations).catch(() => undefined);
    await operations.close(fd).catch(() => undefined);
    throw error;
  }
}

/**
 * Reads the segment record at the start of a file, so that nothing else is ever appended to. Null
 * without a whole line.
 * @throws AuditUnavailableError when the file begins with something else
 */
export async function readFirstRecord(file: OpenFile, operations: DescriptorReader): Promise<FirstRecord | null> {
  const start = await readFully(file.fd, 0, Math.min(file.size, MAX_LINE_BYTES), operations);
  const end = start.indexOf(NEWLINE);
  if (end === -1 && file.size < MAX_LINE_BYTES) return null;
  const record = readRecord(start.toString('utf8', 0, Math.max(end, 0)));
  if ('issue' in record) throw notAuditFileError(file.path, `its first line ${record.issue}`);
  const publicKey = getSegmentPublicKey(record.data);
  if (record.event === 'segment' && publicKey !== null) return { record, publicKey };
  throw notAuditFileError(file.path, 'its first line is not a segment record');
}

function segmentRecord(
  reason: SegmentReason,
  head: AuditHead,
  { key, instanceId, clock }: AuditWriterIdentity,
): ChainedRecord {
  const time = new Date(clock.now()).toISOString();
  const data = segmentData(reason, key.publicKey);
  return signRecord(
    chainEntry({ ...NO_REQUEST, time, event: 'segment', outcome: 'success', data, instanceId }, head),
    key,
  );
}

/** Writes durably and reads back. */
async function writeDurably(fd: number, bytes: Buffer, operations: FileOperations): Promise<void> {
  await writeFully(fd, bytes, operations);
  const { size } = await operations.fstat(fd);
  if (size === bytes.length && (await readFully(fd, 0, size, operations)).equals(bytes)) return;
  throw new Error('the bytes read back differ from the bytes written');
}

/** Removes a file whose only record is unreliable. */
async function discard(path: string, fd: number, operations: FileOperations): Promise<void> {
  await operations.ftruncate(fd, 0).catch(() => undefined);
  if (isSameFile(await operations.stat(path), await operations.fstat(fd))) await operations.unlink(path);
}

async function openOrCreate(path: string, operations: FileOperations): Promise<{ fd: number; isNew: boolean }> {
  const flags = recordFlags(path) | constants.O_CREAT;
  try {
    return { fd: await operations.open(path, flags | constants.O_EXCL, FILE_MODE), isNew: true };
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    return { fd: await operations.open(path, flags, FILE_MODE), isNew: false };
  }
}

/** Auditors keep access. Changing the owner requires root, and may fail. */
async function takeOver(
  fd: number,
  made: FileStatus,
  { mode, uid, gid }: FileAccess,
  operations: FileOperations,
): Promise<void> {
  if (made.uid !== uid || made.gid !== gid) await operations.fchown(fd, uid, gid).catch(() => undefined);
  await operations.fchmod(fd, mode & PERMISSIONS);
}
