import { open } from 'node:fs/promises';
import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import { readTail } from '../../../audit-trail/file-lines.ts';
import { type ReadRecord, readRecord } from '../../../audit-trail/read-record.ts';
import { findSegments, type SegmentFile } from '../../../audit-trail/segment-files.ts';

/**
 * The files beside the audit file, itself included, that hold the records behind number `after` up to `head`, each the continuation of the one before; fewer where there is none
 * that fits. The oldest first. Only their first and last records are read for it.
 */
export async function findLinkedSegments(
  auditFile: string,
  after: number,
  head: ChainHead,
): Promise<readonly SegmentFile[]> {
  const candidates = (await findSegments(auditFile)).toReversed();
  const linked: SegmentFile[] = [];
  let end = head;
  while (end.seq > after && end.hash !== null) {
    const segment = await findEndingWith(candidates, end);
    if (segment === null) return linked;
    linked.unshift(segment);
    end = { seq: segment.first.seq - 1, hash: segment.first.prevHash };
  }
  return linked;
}

/** The file whose last record this is: files of other chains, and copies that were cut, may lie beside it. */
async function findEndingWith(segments: readonly SegmentFile[], end: ChainHead): Promise<SegmentFile | null> {
  for (const segment of segments) {
    if (segment.first.seq > end.seq) continue;
    const last = await readLastRecord(segment.path);
    if (last?.seq === end.seq && last.hash === end.hash) return segment;
  }
  return null;
}

async function readLastRecord(path: string): Promise<ReadRecord | null> {
  const file = await open(path, 'r');
  try {
    const { lines } = await readTail(file, (await file.stat()).size, () => true);
    const record = readRecord(lines.at(-1) ?? '');
    return 'fault' in record ? null : record;
  } finally {
    await file.close();
  }
}
