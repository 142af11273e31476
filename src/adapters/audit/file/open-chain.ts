import { constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { createFolders, syncFolderWith } from '../../files/folders.ts';
import { systemErrorCode } from '../../files/system-error-code.ts';
import type { SegmentReason } from '../record/segment.ts';
import { findSegments, type SegmentFile } from '../record/segment-files.ts';
import { EMPTY_CHAIN } from '../record/signed-record.ts';
import {
  lockedError,
  noSignedRecordError,
  notAuditFileError,
  openError,
  otherChainError,
  truncatedChainError,
} from './audit-file-error.ts';
import { type FileOperations, recordFlags } from './file-operations.ts';
import {
  assertNotContinued,
  assertOneLineEach,
  findTruncatedTail,
  moveTruncatedTail,
  type ReachedRecord,
  type TailEnd,
  type UnsignedTail,
  verifyTail,
} from './file-tail.ts';
import { findPredecessor, holdsRecord } from './find-predecessor.ts';
import { type AuditWriterIdentity, beginSegment, type OpenSegment, readFirstRecord } from './open-segment.ts';

const FOLDER_MODE = 0o700;
const LOCK_FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
const LOCK_MODE = 0o600;

/** A chain ready for appending. */
export interface OpenedChain {
  readonly path: string;
  /** Descriptor that holds the writer's lock. */
  readonly lock: number;
  readonly segment: OpenSegment;
  /** What followed the last signed record and was moved to `<file>.torn`. */
  readonly unsignedTails: readonly UnsignedTail[];
  /** Another key signed the file, so a new one must begin. */
  readonly hasOtherKey: boolean;
  /** Why a new file began; null when the old one continues. */
  readonly begun: SegmentReason | null;
}

interface OpenChainOptions {
  readonly file: string;
  readonly writer: AuditWriterIdentity;
  readonly operations: FileOperations;
  /** Finds the record that the chain must reach, or null; under the lock. */
  readonly findReached: () => Promise<ReachedRecord | null>;
}

interface LockedOptions extends Omit<OpenChainOptions, 'findReached'> {
  readonly reached: ReachedRecord | null;
}

/**
 * Opens or begins the audit file to continue its chain after the last signed record, here or in
 * the newest rotated file. Unsigned bytes are moved aside after a crash, and an error after an
 * graceful shutdown.
 * @throws AuditUnavailableError that names the file, the setting and what to do
 */
export async function openChain({ findReached, ...options }: OpenChainOptions): Promise<OpenedChain> {
  const path = resolve(options.file);
  const { operations } = options;
  const opened: number[] = [];
  try {
    await makeFolder(dirname(path), operations);
    const lock = await lockWriter(path, operations);
    opened.push(lock);
    // The previous writer notes its last record under the lock.
    const locked = { ...options, reached: await findReached() };
    const found = await findFile(path, locked, opened);
    if (found.segment !== null) return { path, lock, ...found, segment: found.segment, begun: null };
    const begun = await beginFile(path, locked);
    return { path, lock, ...begun, unsignedTails: [...found.unsignedTails, ...begun.unsignedTails] };
  } catch (error) {
    for (const fd of opened) await operations.close(fd).catch(() => undefined);
    throw error instanceof AuditUnavailableError ? error : openError(path, error);
  }
}

/**
 * Takes the kernel lock on `<file>.lock`, which is never rotated.
 * @throws AuditUnavailableError when another process has it
 */
async function lockWriter(path: string, operations: FileOperations): Promise<number> {
  const fd = await operations.open(`${path}.lock`, LOCK_FLAGS, LOCK_MODE);
  if (operations.tryLock(fd)) return fd;
  await operations.close(fd);
  throw lockedError(path);
}

type FoundFile = Pick<OpenedChain, 'unsignedTails' | 'hasOtherKey'> & {
  /** Null when there is no file, or nothing signed on it. */
  readonly segment: OpenSegment | null;
};

async function findFile(
  path: string,
  { operations, writer, reached }: LockedOptions,
  opened: number[],
): Promise<FoundFile> {
  const fd = await openIfExists(path, operations);
  if (fd === null) return { segment: null, unsignedTails: [], hasOtherKey: false };
  opened.push(fd);
  const status = await operations.fstat(fd);
  if (!status.isFile()) throw notAuditFileError(path, 'it is a device or a pipe');
  // Lock first: what another process is writing would look truncated.
  if (!operations.tryLock(fd)) throw lockedError(path);
  const { dev, ino, size } = await operations.fstat(fd);
  const first = await readFirstRecord({ path, fd, size }, operations);
  const tornBytes = await findTruncatedTail({ path, fd, size }, operations);
  const end =
    first === null
      ? { head: null, size: 0, unsigned: null }
      : await verifyTail({ path, publicKey: first.publicKey }, fd, size - tornBytes, operations);
  const bytes = size - end.size;
  if (first !== null) {
    const file = { path, first: first.record, publicKey: first.publicKey };
    await assertReached(file, end, reached, operations);
    assertNotContinued(path, file, end, bytes, reached, writer.key.publicKey);
    await assertOneLineEach(file, fd, end, reached, operations);
  }
  await moveTruncatedTail({ path, fd, size }, bytes, `${path}.torn`, operations);
  await syncFolderWith(dirname(path), operations);
  const unsignedTails = bytes === 0 ? [] : [{ bytes, records: end.unsigned }];
  if (first === null || end.head === null) {
    opened.pop();
    await operations.close(fd);
    return { segment: null, unsignedTails, hasOtherKey: false };
  }
  const begin = { firstSeq: first.record.seq, startedAt: Date.parse(first.record.time) };
  const segment = { fd, dev, ino, ...begin, size: end.size, head: end.head, firstRecord: null };
  const hasOtherKey = !first.publicKey.equals(writer.key.publicKey);
  return { segment, unsignedTails, hasOtherKey };
}

/** Begins the missing or empty file, continuing the chain. */
async function beginFile(
  path: string,
  { writer, operations, reached }: LockedOptions,
): Promise<Omit<OpenedChain, 'path' | 'lock'>> {
  const { predecessor, lastSeq } = await findPredecessor(path, reached, writer.key.publicKey, operations);
  if (predecessor !== null) {
    const { head, access, unsignedTails } = predecessor;
    const segment = await beginSegment(path, 'reopened', head, writer, access, operations);
    return { segment, unsignedTails, hasOtherKey: false, begun: 'reopened' };
  }
  if (reached !== null && !reached.closed) throw truncatedChainError(path, lastSeq, reached);
  // The files were moved while the service was stopped.
  const reason = reached === null ? 'first' : 'missing';
  const segment = await beginSegment(path, reason, reached ?? EMPTY_CHAIN, writer, null, operations);
  return { segment, unsignedTails: [], hasOtherKey: false, begun: reason };
}

/** After a graceful shutdown, the last record must still be there and signed. */
async function assertReached(
  file: SegmentFile,
  { head }: TailEnd,
  reached: ReachedRecord | null,
  operations: FileOperations,
): Promise<void> {
  if (reached === null) return;
  const { path, first } = file;
  if (head === null) {
    if (!reached.closed) return;
    throw first.seq > reached.seq ? noSignedRecordError(path) : truncatedChainError(path, first.seq - 1, reached);
  }
  if (reached.seq > head.seq) throw truncatedChainError(path, head.seq, reached);
  if (reached.seq < head.seq && !reached.closed) return;
  if (!(await holdsRecord(file, head, await findSegments(path), reached, operations)))
    throw otherChainError(path, reached);
}

async function openIfExists(path: string, operations: FileOperations): Promise<number | null> {
  try {
    return await operations.open(path, recordFlags(path));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** A new folder is durable once its parent is synced. */
async function makeFolder(folder: string, operations: FileOperations): Promise<void> {
  for (const made of createFolders(folder, FOLDER_MODE)) await syncFolderWith(dirname(made), operations);
}
