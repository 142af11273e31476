import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditHead } from '../../../domain/model/audit-entry.ts';
import { readLines } from '../record/file-lines.ts';
import { readRecord } from '../record/read-record.ts';
import { findSegments, readFirstRecord, type SegmentFile } from '../record/segment-files.ts';
import { readRecordBefore } from './find-offset.ts';
import { FollowedFile } from './followed-file.ts';

/** Number of attempts to find a file that must exist. */
const MAX_SEARCHES = 3;
const SEARCH_PAUSE_MS = 100;

/** Candidates for one record: a folder may hold several chains, and copies. */
const MAX_CANDIDATES = 16;

/** What identifies the previous file. */
export type FirstRecord = Pick<SegmentFile['first'], 'seq' | 'prevHash'>;

export interface ChainFile {
  readonly file: FollowedFile;
  readonly first: SegmentFile['first'];
}

/** A cached list of files, refreshed on a miss: renames can make it stale. */
export class RotatedFiles {
  readonly #path: string;
  #segments: readonly SegmentFile[] | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** Searches the list; refreshes it if something required is missing. */
  async find<Found>(
    isRequired: boolean,
    look: (segments: readonly SegmentFile[]) => Promise<Found | null>,
  ): Promise<Found | null> {
    for (let search = 1; ; search += 1) {
      this.#segments ??= await listSegments(this.#path);
      const found = await look(this.#segments);
      if (found !== null || !isRequired || search === MAX_SEARCHES) return found;
      this.#segments = null;
      await sleep(SEARCH_PAUSE_MS);
    }
  }
}

/** Segments beside the audit file, itself included, oldest first; none if unreadable. */
async function listSegments(path: string): Promise<readonly SegmentFile[]> {
  try {
    return await findSegments(path);
  } catch {
    return [];
  }
}

/** Opens the file that ends just before `next`, or null. The caller closes it. */
export async function openPrevious(segments: readonly SegmentFile[], next: FirstRecord): Promise<ChainFile | null> {
  for (const { path } of nearest(segments, next.seq - 1)) {
    const opened = await openSegment(path);
    if (opened === null) continue;
    const last = await lastRecord(opened.file);
    if (last?.seq === next.seq - 1 && last.hash === next.prevHash) return opened;
    await opened.file.close();
  }
  return null;
}

/** Opens the newest rotated file by name and time, or null. The caller closes it. */
export async function openNewest(path: string, segments: readonly SegmentFile[]): Promise<ChainFile | null> {
  const rotated = segments.filter((segment) => basename(segment.path) !== basename(path));
  // Record numbers order files of the same millisecond.
  const newest = rotated.reduce<SegmentFile | null>(
    (latest, segment) => (latest === null || segment.first.time >= latest.first.time ? segment : latest),
    null,
  );
  return newest === null ? null : openSegment(newest.path);
}

/**
 * Opens a file with the record after `head`: a segment, or a copy. The caller closes it.
 * @param except id of a file to skip
 */
export async function openWithNext(
  segments: readonly SegmentFile[],
  head: AuditHead,
  except: string,
): Promise<FollowedFile | null> {
  for (const { path } of nearest(segments, head.seq + 1)) {
    const opened = await openSegment(path);
    if (opened === null) continue;
    if (opened.file.id !== except && (await holdsNext(opened, head))) return opened.file;
    await opened.file.close();
  }
  return null;
}

async function holdsNext({ file, first }: ChainFile, head: AuditHead): Promise<boolean> {
  if (first.seq === head.seq + 1) return first.prevHash === head.hash;
  const last = await lastRecord(file);
  if (first.seq > head.seq || last === null || last.seq <= head.seq) return false;
  for await (const { lines } of readLines(file.handle, 0, await file.size())) {
    for (const line of lines) {
      const record = readRecord(line);
      if ('issue' in record || record.seq <= head.seq) continue;
      return record.seq === head.seq + 1 && record.prevHash === head.hash;
    }
  }
  return false;
}

/** Segments that begin at or before this record, nearest first. */
function nearest(segments: readonly SegmentFile[], seq: number): readonly SegmentFile[] {
  return segments
    .filter(({ first }) => first.seq <= seq)
    .slice(-MAX_CANDIDATES)
    .toReversed();
}

async function lastRecord(file: FollowedFile) {
  return readRecordBefore(file.handle, await file.size());
}

/** Another file may have the path since the list was made. */
async function openSegment(path: string): Promise<ChainFile | null> {
  const file = await FollowedFile.open(path).catch(() => null);
  if (file === null) return null;
  const first = await readFirstRecord(file.handle);
  if (first !== null) return { file, first };
  await file.close();
  return null;
}
