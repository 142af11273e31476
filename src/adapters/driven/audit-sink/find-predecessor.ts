import { constants } from 'node:fs';
import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import { readLines } from '../../../audit-trail/file-lines.ts';
import { readRecord } from '../../../audit-trail/read-record.ts';
import { findSegments, type SegmentFile } from '../../../audit-trail/segment-files.ts';
import { nothingSignedFault } from './audit-file-fault.ts';
import { assertNotContinued, assertOneLineEach, type ReachedRecord, verifyTail } from './chain-end.ts';
import type { FileOperations } from './file-operations.ts';
import type { FileAccess } from './open-segment.ts';
import { findTornTail, LINE_START, moveTornTail, type UnsignedTail } from './torn-tail.ts';

const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW;

/** The file behind whose last record the chain goes on. */
export interface Predecessor {
  /** Its last signed record. */
  readonly head: ChainHead;
  readonly access: FileAccess;
  /** What stood behind that and was moved to `<file>.torn`. */
  readonly setAside: readonly UnsignedTail[];
}

/** The files beside the audit file, and what is known of their chain. */
interface Search {
  readonly path: string;
  readonly segments: readonly SegmentFile[];
  readonly reached: ReachedRecord | null;
  readonly ownKey: Uint8Array;
  readonly operations: FileOperations;
}

/**
 * The newest of the files that were rotated from the audit file, where that is missing or empty. A file that another process has locked is its own; and where a record is known to have been written, the
 * file has to be of its chain. Nothing is changed on any other file.
 * @param reached null when no record is known
 * @param ownKey the service's audit public key, 32 bytes
 * @returns the file, or null when there is none, and the number of the last record that was seen
 * @throws AuditUnavailableError when its end is damaged, or nothing on it is signed
 */
export async function findPredecessor(
  path: string,
  reached: ReachedRecord | null,
  ownKey: Uint8Array,
  operations: FileOperations,
): Promise<{ readonly predecessor: Predecessor | null; readonly lastSeq: number }> {
  const segments = (await findSegments(path)).filter((segment) => segment.path !== path);
  let lastSeq = 0;
  for (const segment of segments.toReversed()) {
    const found = await examine(segment, { path, segments, reached, ownKey, operations });
    lastSeq = Math.max(lastSeq, found?.head.seq ?? 0);
    if (found?.isOurs) return { predecessor: found, lastSeq };
  }
  return { predecessor: null, lastSeq };
}

async function examine(
  segment: SegmentFile,
  { path, segments, reached, ownKey, operations }: Search,
): Promise<(Predecessor & { readonly isOurs: boolean }) | null> {
  const fd = await operations.open(segment.path, FLAGS);
  try {
    if (!operations.tryLock(fd)) return null;
    const { size, mode, uid, gid } = await operations.fstat(fd);
    const tornBytes = await findTornTail({ path: segment.path, fd, size }, operations);
    const end = await verifyTail(segment, fd, size - tornBytes, operations);
    if (end.head === null) throw nothingSignedFault(segment.path);
    const isOurs = reached === null || (await holdsRecord(segment, end.head, segments, reached, operations));
    const bytes = size - end.size;
    if (isOurs) {
      assertNotContinued(path, segment, end, bytes, reached, ownKey);
      await assertOneLineEach(segment, fd, end, reached, operations);
      await moveTornTail({ path: segment.path, fd, size }, bytes, `${path}.torn`, operations);
    }
    const setAside = bytes === 0 ? [] : [{ bytes, records: end.unsigned }];
    return { head: end.head, access: { mode, uid, gid }, setAside, isOurs };
  } finally {
    await operations.close(fd);
  }
}

/** Whether the chain that ends with `last` in this file has the record, in the file itself or in those that it follows. */
export async function holdsRecord(
  segment: SegmentFile,
  last: ChainHead,
  segments: readonly SegmentFile[],
  reached: ChainHead,
  operations: FileOperations,
): Promise<boolean> {
  if (last.seq <= reached.seq) return last.seq === reached.seq && last.hash === reached.hash;
  const { first } = segment;
  const before = { seq: first.seq - 1, hash: first.prevHash };
  if (before.seq < reached.seq) return hasRecord(segment, reached, operations);
  if (before.seq === reached.seq) return before.hash === reached.hash;
  for (const earlier of segments) {
    if (earlier.first.seq > before.seq || !(await hasRecord(earlier, before, operations))) continue;
    return holdsRecord(earlier, before, segments, reached, operations);
  }
  return false;
}

async function hasRecord(
  { path }: SegmentFile,
  { seq, hash }: ChainHead,
  operations: FileOperations,
): Promise<boolean> {
  const fd = await operations.open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const read = async (buffer: Buffer, offset: number, length: number, position: number) => ({
      bytesRead: await operations.read(fd, buffer.subarray(offset, offset + length), position),
    });
    const begin = `${LINE_START}${seq},`;
    for await (const { lines } of readLines({ read }, 0, (await operations.fstat(fd)).size)) {
      const line = lines.find((text) => text?.startsWith(begin));
      if (line === undefined || line === null) continue;
      const record = readRecord(line);
      return !('fault' in record) && record.hash === hash;
    }
    return false;
  } finally {
    await operations.close(fd);
  }
}
