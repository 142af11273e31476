import { constants } from 'node:fs';
import type { AuditHead } from '../../../domain/model/audit-entry.ts';
import { readLines } from '../record/file-lines.ts';
import { readRecord } from '../record/read-record.ts';
import { findSegments, type SegmentFile } from '../record/segment-files.ts';
import { noSignedRecordError } from './audit-file-error.ts';
import { type FileOperations, toReadableFile } from './file-operations.ts';
import {
  assertNotContinued,
  assertOneLineEach,
  findTruncatedTail,
  LINE_START,
  moveTruncatedTail,
  type ReachedRecord,
  type UnsignedTail,
  verifyTail,
} from './file-tail.ts';
import type { FileAccess } from './open-segment.ts';

const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW;

/** The rotated file that the chain continues from. */
interface Predecessor {
  readonly head: AuditHead;
  readonly access: FileAccess;
  /** What followed that and was moved to `<file>.torn`. */
  readonly unsignedTails: readonly UnsignedTail[];
}

interface Search {
  readonly path: string;
  readonly segments: readonly SegmentFile[];
  readonly reached: ReachedRecord | null;
  readonly ownKey: Uint8Array;
  readonly operations: FileOperations;
}

/**
 * Finds the newest rotated file when the audit file is missing or empty. Skips files that are
 * locked or of other chains than `reached`.
 * @param reached null when no record is known
 * @param ownKey the service's audit public key, 32 bytes
 * @returns the file or null, and the last record number seen
 * @throws AuditUnavailableError when its end is damaged or unsigned
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
    const found = await inspectSegment(segment, { path, segments, reached, ownKey, operations });
    lastSeq = Math.max(lastSeq, found?.head.seq ?? 0);
    if (found?.isOurs) return { predecessor: found, lastSeq };
  }
  return { predecessor: null, lastSeq };
}

async function inspectSegment(
  segment: SegmentFile,
  { path, segments, reached, ownKey, operations }: Search,
): Promise<(Predecessor & { readonly isOurs: boolean }) | null> {
  const fd = await operations.open(segment.path, FLAGS);
  try {
    if (!operations.tryLock(fd)) return null;
    const { size, mode, uid, gid } = await operations.fstat(fd);
    const tornBytes = await findTruncatedTail({ path: segment.path, fd, size }, operations);
    const end = await verifyTail(segment, fd, size - tornBytes, operations);
    if (end.head === null) throw noSignedRecordError(segment.path);
    const isOurs = reached === null || (await holdsRecord(segment, end.head, segments, reached, operations));
    const bytes = size - end.size;
    if (isOurs) {
      assertNotContinued(path, segment, end, bytes, reached, ownKey);
      await assertOneLineEach(segment, fd, end, reached, operations);
      await moveTruncatedTail({ path: segment.path, fd, size }, bytes, `${path}.torn`, operations);
    }
    const unsignedTails = bytes === 0 ? [] : [{ bytes, records: end.unsigned }];
    return { head: end.head, access: { mode, uid, gid }, unsignedTails, isOurs };
  } finally {
    await operations.close(fd);
  }
}

/** Whether the chain up to `last` has the record, here or in an earlier file. */
export async function holdsRecord(
  segment: SegmentFile,
  last: AuditHead,
  segments: readonly SegmentFile[],
  reached: AuditHead,
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
  { seq, hash }: AuditHead,
  operations: FileOperations,
): Promise<boolean> {
  const fd = await operations.open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const begin = `${LINE_START}${seq},`;
    const { size } = await operations.fstat(fd);
    for await (const { lines } of readLines(toReadableFile(fd, operations), 0, size)) {
      const line = lines.find((text) => text?.startsWith(begin));
      if (line === undefined || line === null) continue;
      const record = readRecord(line);
      return !('issue' in record) && record.hash === hash;
    }
    return false;
  } finally {
    await operations.close(fd);
  }
}
