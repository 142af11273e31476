import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditRecord, FollowerEvent, FollowRequest } from '../../../domain/model/audit-entry.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { compareWith, formatRecords } from '../record/chain-verifier.ts';
import { type ReadRecord, readRecord } from '../record/read-record.ts';
import { newestFirst, readChain, type Start } from '../segments/chain-reader.ts';
import type { Line, LineBlock } from '../segments/lines.ts';
import type { Segment } from '../segments/segment-names.ts';
import { CompressionError, formatReadError, type SegmentReader, withSegment } from '../segments/segment-reader.ts';

const POLL_MS = 200;

/**
 * Follows an audit file from segment to segment: yields each record once, in order, and reports
 * invalid lines, missing records and breaks of the chain. Polls: `fs.watch` misses remote writes.
 */
export class AuditTail {
  readonly #pollMs: number;

  constructor(pollMs = POLL_MS) {
    this.#pollMs = pollMs;
  }

  /** @throws OperatorError when a file cannot be read, or is missing without `follow` */
  async *follow(request: FollowRequest): AsyncGenerator<FollowerEvent> {
    const { file, follow, signal } = request;
    const wait = async (): Promise<boolean> => {
      await sleep(this.#pollMs);
      return !signal.aborted;
    };
    try {
      const start = await findStart(request);
      if (start === null && !follow)
        throw new OperatorError(`${file} does not exist: give the path of the audit file.`);
      if (start === null) yield toNotice(`waiting for ${file}, which does not exist yet`);
      const before = start && (await withSegment(start.segment, (reader) => reader.lastRecord(start.offset)));
      const events = new ChainEvents(request, before);
      for await (const { path, lines, issue } of readChain(file, start, follow ? wait : null)) {
        if (issue !== null) yield toNotice(`${path} ${issue}`);
        for (const line of lines) {
          if (signal.aborted) return;
          yield* events.accept(line, path);
        }
      }
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      const { path = file } = error as NodeJS.ErrnoException;
      throw new OperatorError(`${path} ${formatReadError(error)}.`, { cause: error });
    }
  }
}

/** Makes events of lines, and follows the chain through them. */
class ChainEvents {
  readonly #isWanted: (record: AuditRecord) => boolean;
  /** The last record; null when unknown. */
  #last: ReadRecord | null;
  /** Unreadable lines after it; each counts as one record number. */
  #unreadable = 0;

  constructor({ isWanted }: FollowRequest, last: ReadRecord | null) {
    this.#isWanted = isWanted ?? (() => true);
    this.#last = last;
  }

  *accept({ text: line, offset }: Line, path: string): Generator<FollowerEvent> {
    const record = readRecord(line);
    const last = this.#last;
    if ('issue' in record) {
      this.#unreadable += 1;
      const after = last === null ? '' : `, after record ${last.seq},`;
      return yield toNotice(`${path}: the line at byte ${offset}${after} ${record.issue}`);
    }
    const found = last && this.#findBreak(record, last);
    if (found !== null) yield toNotice(found);
    this.#last = record;
    this.#unreadable = 0;
    if (line === null || !this.#isWanted(record)) return;
    const { hash: _hash, checkpoint: _checkpoint, ...shown } = record;
    yield { kind: 'record', record: shown, line };
  }

  #findBreak(record: ReadRecord, last: ReadRecord): string | null {
    const { seq } = record;
    const head = { seq: last.seq + this.#unreadable, hash: last.hash };
    const found = compareWith(record, head);
    if (found === 'gap') return `${formatRecords(head.seq + 1, seq - 1, 'was')} not found in any file`;
    // The hash of an unreadable record is unknown.
    if (found === 'follows' || (this.#unreadable > 0 && seq > last.seq)) return null;
    return `record ${seq} follows record ${last.seq} but does not continue its chain: run \`signing-service audit verify\``;
  }
}

/** A message instead of a record. */
function toNotice(text: string): FollowerEvent {
  return { kind: 'notice', text };
}

type IsWanted = (line: string | null) => boolean;

/** Bounds the search for lines that match a filter. Bytes. */
const MAX_SEARCH_BYTES = 64 * 1024 * 1024;
const LINE_TIME = /^\{"v":\d+,"seq":\d+,"time":"([^"]{24})"/;

/**
 * Searches from the newest segment to older ones; null without a segment.
 * @throws the system's error
 */
function findStart({ file, from, isWanted }: FollowRequest): Promise<Start | null> {
  if ('since' in from) return search(file, (line) => getTime(line) >= from.since, { isSorted: true });
  if (isWanted === null) return search(file, () => true, { count: from.lines });
  return search(
    file,
    (line) => {
      const record = readRecord(line);
      return !('issue' in record) && isWanted(record);
    },
    { count: from.lines, maxBytes: MAX_SEARCH_BYTES },
  );
}

/** ISO 8601 UTC; empty without one. */
function getTime(line: string | null): string {
  return LINE_TIME.exec(line ?? '')?.[1] ?? '';
}

/**
 * The last wanted lines; the end if there are none.
 * @param bounds sorted: lines before an unwanted one are not wanted either
 */
async function search(
  file: string,
  isWanted: IsWanted,
  bounds: { readonly count?: number; readonly maxBytes?: number; readonly isSorted?: boolean },
): Promise<Start | null> {
  let start: Start | null = null;
  let { count = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = bounds;
  for await (const segment of listFiles(file)) {
    const found = await withSegment(segment, (reader) => findIn(reader, count, maxBytes, isWanted));
    if (found === null) continue;
    const [first] = found.offsets;
    if (start === null || first !== undefined) start = { segment, offset: first ?? found.end };
    count -= found.offsets.length;
    maxBytes -= found.end;
    if (count <= 0 || maxBytes <= 0 || (bounds.isSorted && first !== 0)) return start;
  }
  return start;
}

/** Segments, newest first; without any, the file itself: a segment or a copy by its own name. */
async function* listFiles(file: string): AsyncGenerator<Segment> {
  let isAlone = existsSync(file);
  for await (const segment of newestFirst(file)) {
    isAlone = false;
    yield segment;
  }
  if (isAlone) yield { path: file, auditFile: basename(file), firstSeq: 0, attempt: 1, form: 'plain' };
}

/** Offsets of the last wanted lines, in order. */
async function findIn(reader: SegmentReader, count: number, maxBytes: number, isWanted: IsWanted) {
  const { isCompressed } = reader;
  const blocks = isCompressed ? reader.lines() : reader.linesBackwards(await reader.size());
  let offsets: readonly number[] = [];
  let end = 0;
  for await (const block of untilDamage(blocks)) {
    end = Math.max(end, block.end);
    const found = block.lines.filter(({ text }) => isWanted(text)).map(({ offset }) => offset);
    offsets = isCompressed ? [...offsets, ...found] : [...found, ...offsets];
    if (!isCompressed && (offsets.length >= count || end - (block.lines[0]?.offset ?? 0) >= maxBytes)) break;
  }
  return { offsets: offsets.slice(Math.max(0, offsets.length - count)), end };
}

/** Following reports the damage of a compressed segment. */
async function* untilDamage(blocks: AsyncIterable<LineBlock>): AsyncGenerator<LineBlock> {
  try {
    yield* blocks;
  } catch (error) {
    if (!(error instanceof CompressionError)) throw error;
  }
}
