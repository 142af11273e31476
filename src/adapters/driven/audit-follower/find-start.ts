import { type ReadRecord, readRecord } from '../../../audit-trail/read-record.ts';
import { readFirstRecord } from '../../../audit-trail/segment-files.ts';
import type { FollowRequest } from '../../../domain/model/audit-sighting.ts';
import { FilesBeside, openNewest, openPrevious } from './files-beside.ts';
import { findLinesBack, findTime } from './find-offset.ts';
import type { FollowedFile } from './followed-file.ts';

/** Where following begins. */
export interface Start {
  readonly file: FollowedFile;
  /** Bytes; a line begins there. */
  readonly offset: number;
}

/** How far back records that a filter wants are looked for, so that a name that never occurs does not keep people waiting. Bytes. */
const LOOK_BACK_BYTES = 64 * 1024 * 1024;

/** Takes the files of a chain from the newest to older ones. */
interface Search {
  /**
   * The offset to begin at in this file, null for none, and whether older files matter, too.
   * @param first its first record; null for a file that has none yet
   */
  look(file: FollowedFile, first: ReadRecord | null): Promise<Look>;
}

interface Look {
  /** Bytes. */
  readonly offset: number | null;
  readonly goOn: boolean;
}

/**
 * Finds where to begin: in the file that was opened, or in one that it was rotated from. Every file that was opened for it is closed again but the one that it gives; also
 * `current`, then.
 */
export async function findStart(current: FollowedFile, { file, from, isWanted }: FollowRequest): Promise<Start> {
  const search = 'since' in from ? new TimeSearch(from.since) : new LineSearch(from.lines, isWanted);
  const first = await readFirstRecord(current.handle);
  const { offset, goOn } = await search.look(current, first);
  let start: Start = { file: current, offset: offset ?? (await endOfLines(current)) };
  if (!goOn || (first === null && (await current.hasLine()))) return start;
  const beside = new FilesBeside(file);
  const previous = (next: ReadRecord) => beside.find(next.seq > 1, (segments) => openPrevious(segments, next));
  // A file without a record, which was only just made, does not tell what comes before it.
  const newest = () => beside.find(true, (segments) => openNewest(file, segments));
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
    if (!look.goOn) break;
  }
  return start;
}

async function endOfLines(file: FollowedFile): Promise<number> {
  return (await findLinesBack(file.handle, await file.size(), 0, 0, () => true)).offset;
}

class LineSearch implements Search {
  readonly #isWanted: (line: string | null) => boolean;
  readonly #most: number;
  #missing: number;
  #looked = 0;

  constructor(lines: number, isWanted: FollowRequest['isWanted']) {
    this.#missing = lines;
    this.#most = isWanted === null ? Number.POSITIVE_INFINITY : LOOK_BACK_BYTES;
    this.#isWanted = (line) => {
      if (isWanted === null) return true;
      const record = line === null ? null : readRecord(line);
      return record !== null && !('fault' in record) && isWanted(record);
    };
  }

  async look(file: FollowedFile): Promise<Look> {
    const size = await file.size();
    const most = this.#most - this.#looked;
    const { offset, found } = await findLinesBack(file.handle, size, most, this.#missing, this.#isWanted);
    this.#missing -= found;
    this.#looked += size - offset;
    return { offset: found === 0 ? null : offset, goOn: this.#missing > 0 && this.#looked < this.#most };
  }
}

class TimeSearch implements Search {
  readonly #since: string;

  constructor(since: string) {
    this.#since = since;
  }

  async look(file: FollowedFile, first: ReadRecord | null): Promise<Look> {
    const offset = await findTime(file.handle, await file.size(), this.#since);
    return { offset, goOn: first === null || first.time >= this.#since };
  }
}
