import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import { readLines } from '../../../audit-trail/file-lines.ts';
import { readRecord } from '../../../audit-trail/read-record.ts';
import { findSegments, readFirstRecord, type SegmentFile } from '../../../audit-trail/segment-files.ts';
import { readRecordBefore } from './find-offset.ts';
import { FollowedFile } from './followed-file.ts';

/** How often something that has to be there is looked for. */
const SEARCHES = 3;
const SEARCH_PAUSE_MS = 100;

/** So many files are asked for one record: a few chains may lie in one folder, and copies. */
const MOST_ASKED = 16;

/** The first record of a file, as far as it tells which file comes before. */
export type FirstRecord = Pick<SegmentFile['first'], 'seq' | 'prevHash'>;

/** A file of the chain, open, and its first record. */
export interface ChainFile {
  readonly file: FollowedFile;
  readonly first: SegmentFile['first'];
}

/**
 * The files beside the audit file, as they are listed. A list gets old: while another program renames files, one can be missed in it, or stand under the name of another;
 * so it is made anew when something is not found.
 */
export class FilesBeside {
  readonly #path: string;
  #segments: readonly SegmentFile[] | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Looks in the list, and when that does not find anything that has to be there, in new ones.
   * @param insist whether it has to be there
   */
  async find<Found>(
    insist: boolean,
    look: (segments: readonly SegmentFile[]) => Promise<Found | null>,
  ): Promise<Found | null> {
    for (let search = 1; ; search += 1) {
      this.#segments ??= await segmentsBeside(this.#path);
      const found = await look(this.#segments);
      if (found !== null || !insist || search === SEARCHES) return found;
      this.#segments = null;
      await sleep(SEARCH_PAUSE_MS);
    }
  }
}

/** The segments beside the audit file, and itself, the oldest first; none when their folder can't be read. */
async function segmentsBeside(path: string): Promise<readonly SegmentFile[]> {
  try {
    return await findSegments(path);
  } catch {
    return [];
  }
}

/** Opens the file of the chain that ends where another begins; null when it is not there. The caller closes it. */
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

/**
 * Opens the file that was rotated last, told by name and time; null when there is none. The caller closes it. Files of other services may lie in the same folder, and
 * without a record to begin with, only its name tells that a file belongs here.
 */
export async function openNewest(path: string, segments: readonly SegmentFile[]): Promise<ChainFile | null> {
  const rotated = segments.filter((segment) => basename(segment.path) !== basename(path));
  // They are in the order of their numbers, which decides between files of the same millisecond.
  const newest = rotated.reduce<SegmentFile | null>(
    (latest, segment) => (latest === null || segment.first.time >= latest.first.time ? segment : latest),
    null,
  );
  return newest === null ? null : openSegment(newest.path);
}

/**
 * Opens the file that holds the record behind `head`: it begins with it, or it begins before and ends behind it, as a copy does that was made before the file was
 * truncated. Null when there is none. The caller closes it.
 * @param except id of the file that is not asked
 */
export async function openWithNext(
  segments: readonly SegmentFile[],
  head: ChainHead,
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

async function holdsNext({ file, first }: ChainFile, head: ChainHead): Promise<boolean> {
  if (first.seq === head.seq + 1) return first.prevHash === head.hash;
  const last = await lastRecord(file);
  if (first.seq > head.seq || last === null || last.seq <= head.seq) return false;
  for await (const { lines } of readLines(file.handle, 0, await file.size())) {
    for (const line of lines) {
      const record = line === null ? null : readRecord(line);
      if (record === null || 'fault' in record || record.seq <= head.seq) continue;
      return record.seq === head.seq + 1 && record.prevHash === head.hash;
    }
  }
  return false;
}

/** Those that begin with this record or before it, the last one first. */
function nearest(segments: readonly SegmentFile[], seq: number): readonly SegmentFile[] {
  return segments
    .filter(({ first }) => first.seq <= seq)
    .slice(-MOST_ASKED)
    .toReversed();
}

async function lastRecord(file: FollowedFile) {
  return readRecordBefore(file.handle, await file.size());
}

/** The file that has this path now, which may be another one than when the folder was listed. */
async function openSegment(path: string): Promise<ChainFile | null> {
  const file = await FollowedFile.open(path).catch(() => null);
  if (file === null) return null;
  const first = await readFirstRecord(file.handle);
  if (first !== null) return { file, first };
  await file.close();
  return null;
}
