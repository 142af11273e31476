import { dirname, resolve } from 'node:path';
import { type ChainHead, EMPTY_CHAIN } from '../../../audit-trail/audit-record.ts';
import { CheckpointSchedule } from '../../../audit-trail/checkpoint-schedule.ts';
import type { SegmentReason } from '../../../audit-trail/segment.ts';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { makeFolders } from '../../../files/make-folders.ts';
import { cutChainFault, foreignFileFault, lockedFault, openFault, otherChainFault } from './audit-file-fault.ts';
import { dueSchedule, verifyTail } from './chain-end.ts';
import type { ChainEnd, Scribe } from './chain-writer.ts';
import type { FileOperations } from './file-operations.ts';
import { findPredecessor } from './find-predecessor.ts';
import { readFirstRecord } from './first-record.ts';
import { recordFlags } from './record-flags.ts';
import { beginSegment, type OpenSegment } from './segment-writer.ts';
import { syncFolder } from './sync-folder.ts';
import { findTornTail, moveTornTail } from './torn-tail.ts';
import { lockWriter } from './writer-lock.ts';

const FOLDER_MODE = 0o700;

/** A record that is known to have been written, from what lies beside the audit file. */
export interface ReachedRecord extends ChainHead {
  /** Whether the service ended in order with it, so that nothing followed. */
  readonly closed: boolean;
}

/** A chain that can be added to. */
export interface OpenedChain {
  /** Absolute path of the audit file. */
  readonly path: string;
  /** Descriptor that holds the lock of the one writer. */
  readonly lock: number;
  readonly segment: OpenSegment;
  /** Bytes of a torn last line that were moved to `<file>.torn`, 0 when it was whole. */
  readonly tornBytes: number;
  /** The file's checkpoints are signed with another key: the next record has to begin a file of its own. */
  readonly hasOtherKey: boolean;
  /** Records that no checkpoint covered when the chain was found: the next one will vouch for them, too. */
  readonly unsigned: number;
  /** Why a new file was begun; null where the old one goes on. */
  readonly begun: SegmentReason | null;
}

/** What {@link openChain} works with. */
export interface ChainPlace {
  readonly file: string;
  readonly scribe: Scribe;
  readonly operations: FileOperations;
  /** Null when nothing is known. */
  readonly reached: ReachedRecord | null;
}

/**
 * Opens the audit file, or begins it, so that its chain goes on where it ended: in the file itself, else in the newest of the files that were rotated from it. The end of the
 * chain is verified; a torn last line is moved aside, and anything worse is an error.
 * @throws AuditUnavailableError that names the file, the setting and what to do
 */
export async function openChain(place: ChainPlace): Promise<OpenedChain> {
  const path = resolve(place.file);
  const { operations } = place;
  const opened: number[] = [];
  try {
    await makeFolder(dirname(path), operations);
    const lock = await lockWriter(path, operations);
    opened.push(lock);
    const found = await findFile(path, place, opened);
    if (found.segment !== null) return { path, lock, ...found, segment: found.segment, begun: null };
    const begun = await beginFile(path, place);
    return { path, lock, ...begun, tornBytes: found.tornBytes + begun.tornBytes };
  } catch (error) {
    for (const fd of opened) await operations.close(fd).catch(() => undefined);
    throw error instanceof AuditUnavailableError ? error : openFault(path, error);
  }
}

/** What the file is found to hold. */
type FoundFile = Pick<OpenedChain, 'tornBytes' | 'hasOtherKey' | 'unsigned'> & {
  /** Null when there is no file, or no whole line on it. */
  readonly segment: OpenSegment | null;
};

async function findFile(
  path: string,
  { operations, scribe, reached }: ChainPlace,
  opened: number[],
): Promise<FoundFile> {
  const fd = await openIfThere(path, operations);
  if (fd === null) return { segment: null, tornBytes: 0, hasOtherKey: false, unsigned: 0 };
  opened.push(fd);
  const status = await operations.fstat(fd);
  if (!status.isFile()) throw foreignFileFault(path, 'it is a device or a pipe');
  // Before anything is looked at: what another process is writing would look torn.
  if (!operations.tryLock(fd)) throw lockedFault(path);
  const { dev, ino, mode, uid, gid, size } = await operations.fstat(fd);
  const first = await readFirstRecord({ path, fd, size }, operations);
  const tornBytes = await findTornTail({ path, fd, size }, operations);
  const whole = size - tornBytes;
  const end = first === null ? null : await verifyTail({ path, publicKey: first.publicKey }, fd, whole, operations);
  if (end !== null) assertReached(path, end, reached);
  await moveTornTail({ path, fd, size }, tornBytes, `${path}.torn`, operations);
  await syncFolder(dirname(path), operations);
  if (first === null || end === null) {
    opened.pop();
    await operations.close(fd);
    return { segment: null, tornBytes, hasOtherKey: false, unsigned: 0 };
  }
  const begin = { firstSeq: first.record.seq, begunAt: Date.parse(first.record.time) };
  const segment = { fd, dev, ino, access: { mode, uid, gid }, ...begin, size: whole, end };
  const hasOtherKey = !first.publicKey.equals(scribe.key.publicKey);
  return { segment, tornBytes, hasOtherKey, unsigned: end.unsigned };
}

/** Begins the file that is missing or empty behind the end of the chain, wherever that is. */
async function beginFile(
  path: string,
  { scribe, operations, reached }: ChainPlace,
): Promise<Omit<OpenedChain, 'path' | 'lock'>> {
  const { predecessor, lastSeq } = await findPredecessor(path, reached, operations);
  if (predecessor !== null) {
    const { end, access, tornBytes } = predecessor;
    const segment = await beginSegment(path, 'reopened', end, scribe, access, operations);
    return { segment, tornBytes, hasOtherKey: false, unsigned: end.unsigned, begun: 'reopened' };
  }
  if (reached !== null && !reached.closed) throw cutChainFault(path, lastSeq, reached.seq);
  // Where a record is known, all files were moved away while the service was stopped; it had noted down where it ended.
  const [reason, end] =
    reached === null
      ? (['first', { head: EMPTY_CHAIN, schedule: new CheckpointSchedule() }] as const)
      : (['missing', { head: reached, schedule: dueSchedule() }] as const);
  const segment = await beginSegment(path, reason, end, scribe, null, operations);
  return { segment, tornBytes: 0, hasOtherKey: false, unsigned: 0, begun: reason };
}

function assertReached(path: string, { head }: ChainEnd, reached: ReachedRecord | null): void {
  if (reached === null || reached.seq < head.seq) return;
  if (reached.seq > head.seq) throw cutChainFault(path, head.seq, reached.seq);
  if (reached.hash !== head.hash) throw otherChainFault(path, reached.seq);
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
