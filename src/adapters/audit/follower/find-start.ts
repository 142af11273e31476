import type { FollowRequest } from '../../../domain/model/audit-entry.ts';
import { type ReadRecord, readRecord } from '../record/read-record.ts';
import { readFirstRecord } from '../record/segment-files.ts';
import { findLinesFromEnd, findTime } from './find-offset.ts';
import type { FollowedFile } from './followed-file.ts';
import { openNewest, openPrevious, RotatedFiles } from './rotated-files.ts';

/** Where following begins. */
export interface Start {
  readonly file: FollowedFile;
  /** Start of a line, bytes. */
  readonly offset: number;
}

/** Bounds the search for lines that match a filter. Bytes. */
const MAX_SEARCH_BYTES = 64 * 1024 * 1024;

/** Visits the files of a chain from newest to oldest. */
interface Search {
  /**
   * Where to begin in this file, and whether older ones matter.
   * @param first its first record, or null
   */
  look(file: FollowedFile, first: ReadRecord | null): Promise<Step>;
}

interface Step {
  /** Bytes; null when it has no wanted line. */
  readonly offset: number | null;
  readonly needsOlder: boolean;
}

/** Finds the start, here or in an older file. Closes every file but the one returned. */
export async function findStart(current: FollowedFile, { file, from, isWanted }: FollowRequest): Promise<Start> {
  const search = 'since' in from ? new TimeSearch(from.since) : new LineSearch(from.lines, isWanted);
  const first = await readFirstRecord(current.handle);
  const { offset, needsOlder } = await search.look(current, first);
  let start: Start = { file: current, offset: offset ?? (await endOfLines(current)) };
  if (!needsOlder || (first === null && (await current.hasLine()))) return start;
  const rotatedFiles = new RotatedFiles(file);
  const previous = (next: ReadRecord) => rotatedFiles.find(next.seq > 1, (segments) => openPrevious(segments, next));
  // A new file without a record has no known predecessor.
  const newest = () => rotatedFiles.find(true, (segments) => openNewest(file, segments));
  for (
    let older = await (first === null ? newest() : previous(first));
    older !== null;
    older = await previous(older.first)
  ) {
    const look = await search.look(older.file, older.first);
    if (look.offset === null) {
      await older.file.close();
    } else {
      await start.file.close();
      start = { file: older.file, offset: look.offset };
    }
    if (!look.needsOlder) break;
  }
  return start;
}

async function endOfLines(file: FollowedFile): Promise<number> {
  return (await findLinesFromEnd(file.handle, await file.size(), 0, 0, () => true)).offset;
}

class LineSearch implements Search {
  readonly #isWanted: (line: string | null) => boolean;
  readonly #maxBytes: number;
  #remaining: number;
  #searchedBytes = 0;

  constructor(lines: number, isWanted: FollowRequest['isWanted']) {
    this.#remaining = lines;
    this.#maxBytes = isWanted === null ? Number.POSITIVE_INFINITY : MAX_SEARCH_BYTES;
    this.#isWanted = (line) => {
      if (isWanted === null) return true;
      const record = readRecord(line);
      return !('issue' in record) && isWanted(record);
    };
  }

  async look(file: FollowedFile): Promise<Step> {
    const size = await file.size();
    const maxBytes = this.#maxBytes - this.#searchedBytes;
    const { offset, found } = await findLinesFromEnd(file.handle, size, maxBytes, this.#remaining, this.#isWanted);
    this.#remaining -= found;
    this.#searchedBytes += size - offset;
    return {
      offset: found === 0 ? null : offset,
      needsOlder: this.#remaining > 0 && this.#searchedBytes < this.#maxBytes,
    };
  }
}

class TimeSearch implements Search {
  readonly #since: string;

  constructor(since: string) {
    this.#since = since;
  }

  async look(file: FollowedFile, first: ReadRecord | null): Promise<Step> {
    const offset = await findTime(file.handle, await file.size(), this.#since);
    return { offset, needsOlder: first === null || first.time >= this.#since };
  }
}
