import { constants } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { EMPTY_CHAIN } from '../../../audit-trail/audit-record.ts';
import type { SegmentReason } from '../../../audit-trail/segment.ts';
import { findSegments, type SegmentFile } from '../../../audit-trail/segment-files.ts';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { makeFolders } from '../../../files/make-folders.ts';
import {
  cutChainFault,
  foreignFileFault,
  lockedFault,
  nothingSignedFault,
  openFault,
  otherChainFault,
} from './audit-file-fault.ts';
import { assertNotContinued, assertOneLineEach, type ReachedRecord, type TailEnd, verifyTail } from './chain-end.ts';
import { type FileOperations, recordFlags, syncFolder } from './file-operations.ts';
import { findPredecessor, holdsRecord } from './find-predecessor.ts';
import { type AuditWriterIdentity, beginSegment, type OpenSegment, readFirstRecord } from './open-segment.ts';
import { findTornTail, moveTornTail, type UnsignedTail } from './torn-tail.ts';

const FOLDER_MODE = 0o700;
const LOCK_FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW;
const LOCK_MODE = 0o600;

/** A chain that can be added to. */
export interface OpenedChain {
  /** Absolute path of the audit file. */
  readonly path: string;
  /** Descriptor that holds the lock of the one writer. */
  readonly lock: number;
  readonly segment: OpenSegment;
  /** What stood behind the last signed record and was moved to `<file>.torn`. */
  readonly setAside: readonly UnsignedTail[];
  /**
   * The file's records are signed with another key: the next record has to begin a file of its own.
   */
  readonly hasOtherKey: boolean;
  /** Why a new file was begun; null where the old one goes on. */
  readonly begun: SegmentReason | null;
}

/** What {@link openChain} works with. */
export interface ChainPlace {
  readonly file: string;
  readonly writer: AuditWriterIdentity;
  readonly operations: FileOperations;
  /** Finds the record that the chain must reach; null: none is known. Called under the lock. */
  readonly findReached: () => Promise<ReachedRecord | null>;
}

/** The same, under the lock. */
interface LockedPlace extends Omit<ChainPlace, 'findReached'> {
  readonly reached: ReachedRecord | null;
}

/**
 * Opens the audit file, or begins it, so that its chain goes on behind its last signed record:
 * in the file itself, else in the newest of the files that were rotated from it. What stands behind
 * that was never acknowledged: it is moved aside after a crash, and an error after an orderly stop.
 * Anything else that is wrong with the end of the chain is an error.
 * @throws AuditUnavailableError that names the file, the setting and what to do
 */
export async function openChain({ findReached, ...given }: ChainPlace): Promise<OpenedChain> {
  const path = resolve(given.file);
  const { operations } = given;
  const opened: number[] = [];
  try {
    await makeFolder(dirname(path), operations);
    const lock = await lockWriter(path, operations);
    opened.push(lock);
    // The writer before this one notes its last record down while it holds the lock.
    const place = { ...given, reached: await findReached() };
    const found = await findFile(path, place, opened);
    if (found.segment !== null) return { path, lock, ...found, segment: found.segment, begun: null };
    const begun = await beginFile(path, place);
    return { path, lock, ...begun, setAside: [...found.setAside, ...begun.setAside] };
  } catch (error) {
    for (const fd of opened) await operations.close(fd).catch(() => undefined);
    throw error instanceof AuditUnavailableError ? error : openFault(path, error);
  }
}

/**
 * Makes this process the one writer of an audit file, by a kernel lock on `<file>.lock`, which
 * stays in its place while audit files are rotated. The lock is gone with the process, or when the
 * descriptor that this returns is closed.
 * @throws AuditUnavailableError when another process is the writer
 */
async function lockWriter(path: string, operations: FileOperations): Promise<number> {
  const fd = await operations.open(`${path}.lock`, LOCK_FLAGS, LOCK_MODE);
  if (operations.tryLock(fd)) return fd;
  await operations.close(fd);
  throw lockedFault(path);
}

/** What the file is found to hold. */
type FoundFile = Pick<OpenedChain, 'setAside' | 'hasOtherKey'> & {
  /** Null when there is no file, or nothing signed on it. */
  readonly segment: OpenSegment | null;
};

async function findFile(
  path: string,
  { operations, writer, reached }: LockedPlace,
  opened: number[],
): Promise<FoundFile> {
  const fd = await openIfThere(path, operations);
  if (fd === null) return { segment: null, setAside: [], hasOtherKey: false };
  opened.push(fd);
  const status = await operations.fstat(fd);
  if (!status.isFile()) throw foreignFileFault(path, 'it is a device or a pipe');
  // Before anything is looked at: what another process is writing would look torn.
  if (!operations.tryLock(fd)) throw lockedFault(path);
  const { dev, ino, size } = await operations.fstat(fd);
  const first = await readFirstRecord({ path, fd, size }, operations);
  const tornBytes = await findTornTail({ path, fd, size }, operations);
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
  await moveTornTail({ path, fd, size }, bytes, `${path}.torn`, operations);
  await syncFolder(dirname(path), operations);
  const setAside = bytes === 0 ? [] : [{ bytes, records: end.unsigned }];
  if (first === null || end.head === null) {
    opened.pop();
    await operations.close(fd);
    return { segment: null, setAside, hasOtherKey: false };
  }
  const begin = { firstSeq: first.record.seq, begunAt: Date.parse(first.record.time) };
  const segment = { fd, dev, ino, ...begin, size: end.size, head: end.head, begunWith: null };
  const hasOtherKey = !first.publicKey.equals(writer.key.publicKey);
  return { segment, setAside, hasOtherKey };
}

/** Begins the file that is missing or empty behind the end of the chain, wherever that is. */
async function beginFile(
  path: string,
  { writer, operations, reached }: LockedPlace,
): Promise<Omit<OpenedChain, 'path' | 'lock'>> {
  const { predecessor, lastSeq } = await findPredecessor(path, reached, writer.key.publicKey, operations);
  if (predecessor !== null) {
    const { head, access, setAside } = predecessor;
    const segment = await beginSegment(path, 'reopened', head, writer, access, operations);
    return { segment, setAside, hasOtherKey: false, begun: 'reopened' };
  }
  if (reached !== null && !reached.closed) throw cutChainFault(path, lastSeq, reached);
  // Where a record is known, all files were moved away while the service was stopped; it had noted down where it ended.
  const reason = reached === null ? 'first' : 'missing';
  const segment = await beginSegment(path, reason, reached ?? EMPTY_CHAIN, writer, null, operations);
  return { segment, setAside: [], hasOtherKey: false, begun: reason };
}

/**
 * A file that goes on behind the record with which the service stopped in order still has that
 * record signed: else it was cut or replaced, whatever follows in it.
 */
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
    throw first.seq > reached.seq ? nothingSignedFault(path) : cutChainFault(path, first.seq - 1, reached);
  }
  if (reached.seq > head.seq) throw cutChainFault(path, head.seq, reached);
  if (reached.seq < head.seq && !reached.closed) return;
  if (!(await holdsRecord(file, head, await findSegments(path), reached, operations)))
    throw otherChainFault(path, reached);
}

async function openIfThere(path: string, operations: FileOperations): Promise<number | null> {
  try {
    return await operations.open(path, recordFlags(path));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Each new level is durable once the folder above it is synced. */
async function makeFolder(folder: string, operations: FileOperations): Promise<void> {
  for (const made of makeFolders(folder, FOLDER_MODE)) await syncFolder(dirname(made), operations);
}
