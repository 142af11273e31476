import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditRecord, FollowerEvent, FollowRequest } from '../../../domain/model/audit-entry.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { UnsuitableFileError } from '../../files/open-regular-file.ts';
import { isSystemError, systemErrorCode } from '../../files/system-error-code.ts';
import { type ReadRecord, readRecord } from '../record/read-record.ts';
import { lineOffsets } from '../segments/lines.ts';
import { listChainSegments, type Segment } from '../segments/segment-names.ts';
import { CompressionError, openSegment, type SegmentReader, withSegment } from '../segments/segment-reader.ts';
import { findStart, type Start } from './find-start.ts';

const POLL_MS = 200;
/** In a chain that had to be waited for, everything is new. */
const EVERYTHING = { from: { lines: Number.POSITIVE_INFINITY }, isWanted: null };

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
    try {
      const chain = new ChainEvents(request);
      let start = yield* this.#findStart(request);
      while (start !== null) {
        const next: Segment | null = yield* this.#readSegment(start, chain, request);
        start = next && { segment: next, offset: 0 };
      }
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      throw new OperatorError(formatReadError(request.file, error), { cause: error });
    }
  }

  /** Waits for a missing file. Null when aborted. */
  async *#findStart(request: FollowRequest): AsyncGenerator<FollowerEvent, Start | null> {
    const { file, follow, signal } = request;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const segments = await listFiles(file);
      const start = await findStart(segments.toReversed(), isFirst ? request : { ...request, ...EVERYTHING });
      if (start !== null) return start;
      if (!follow) throw new OperatorError(`${file} does not exist: give the path of the audit file.`);
      if (isFirst) yield toNotice(`waiting for ${file}, which does not exist yet`);
      await sleep(this.#pollMs);
    }
    return null;
  }

  /** Reads on until the next segment begins, which it returns; null at the end. */
  async *#readSegment(
    { segment, offset }: Start,
    chain: ChainEvents,
    { file, follow, signal }: FollowRequest,
  ): AsyncGenerator<FollowerEvent, Segment | null> {
    const reader = await openSegment(segment);
    if (reader === null) throw new OperatorError(`${segment.path} was removed while it was read.`);
    try {
      const position = { offset, size: -1 };
      if (offset > 0) await chain.startAfter(reader, offset);
      for (let lastIssue: string | null = null; !signal.aborted; ) {
        yield* chain.readOn(reader, position);
        const { next, issue } = await findNext(file, segment);
        if (issue !== null && issue !== lastIssue) yield toNotice(issue);
        lastIssue = issue;
        // It may have grown before the next one had a line.
        if (next !== null) yield* chain.readOn(reader, position);
        if (next !== null || !follow) return next;
        await sleep(this.#pollMs);
      }
      return null;
    } finally {
      await reader.close();
    }
  }
}

/** Segments, oldest first; without any, the file itself: a segment or a copy by its own name. */
async function listFiles(file: string): Promise<readonly Segment[]> {
  const segments = await listChainSegments(file).catch((error: unknown) => {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  });
  if (segments.length > 0 || !existsSync(file)) return segments;
  return [{ path: file, firstSeq: 0, attempt: 1, form: 'plain' }];
}

interface Next {
  /** The first later segment with a line, or null. */
  readonly next: Segment | null;
  /** Why one before it cannot be read, or null. */
  readonly issue: string | null;
}

async function findNext(file: string, { firstSeq }: Segment): Promise<Next> {
  let issue: string | null = null;
  for (const segment of await listFiles(file)) {
    if (segment.firstSeq <= firstSeq) continue;
    try {
      const line = await withSegment(segment, (reader) => reader.firstLine());
      if (line !== null) return { next: segment, issue };
    } catch (error) {
      issue = formatReadError(segment.path, error);
    }
  }
  return { next: null, issue };
}

/** How far a segment was read. */
interface Position {
  /** Just after the last line, bytes of the uncompressed content. */
  offset: number;
  /** Size of the file, bytes. */
  size: number;
}

/** Makes events of lines, and follows the chain through them. */
class ChainEvents {
  readonly #isWanted: (record: AuditRecord) => boolean;
  readonly #signal: FollowRequest['signal'];
  /** The last record; null when unknown. */
  #last: ReadRecord | null = null;
  /** Unreadable lines after it; each counts as one record number. */
  #unreadable = 0;

  constructor({ isWanted, signal }: FollowRequest) {
    this.#isWanted = isWanted ?? (() => true);
    this.#signal = signal;
  }

  /** Continues after a line, whose record is unknown in a compressed segment. Returns its end. */
  async startAfter(reader: SegmentReader, stop: number): Promise<number> {
    const found = reader.isCompressed ? null : await reader.lastLine(stop);
    const record = readRecord(found?.line ?? null);
    this.#last = 'issue' in record ? null : record;
    this.#unreadable = 0;
    return found?.end ?? 0;
  }

  /** Yields what was appended since, and advances the position. */
  async *readOn(reader: SegmentReader, position: Position): AsyncGenerator<FollowerEvent> {
    const size = await reader.size();
    if (size === position.size) return;
    position.size = size;
    if (size < position.offset && !reader.isCompressed) {
      const end = await this.startAfter(reader, size);
      yield toNotice(`${reader.path} was shortened by ${position.offset - end} bytes: its last lines were removed`);
      position.offset = end;
    }
    try {
      for await (const block of reader.lines(position.offset)) {
        const offsets = lineOffsets(block);
        for (const [index, line] of block.lines.entries()) {
          if (this.#signal.aborted) return;
          yield* this.#accept(line, reader.path, offsets[index] ?? null);
        }
        position.offset = block.end;
      }
    } catch (error) {
      if (!(error instanceof CompressionError)) throw error;
      yield toNotice(formatReadError(reader.path, error));
    }
  }

  *#accept(line: string | null, path: string, offset: number | null): Generator<FollowerEvent> {
    const record = readRecord(line);
    if ('issue' in record) {
      this.#unreadable += 1;
      const where = offset === null ? '' : ` at byte ${offset}`;
      const after = this.#last === null ? '' : `, after record ${this.#last.seq},`;
      yield toNotice(`${path}: the line${where}${after} ${record.issue}`);
      return;
    }
    const issue = this.#findBreak(record);
    if (issue !== null) yield toNotice(issue);
    this.#last = record;
    this.#unreadable = 0;
    if (line === null || !this.#isWanted(record)) return;
    const { hash: _hash, checkpoint: _checkpoint, ...shown } = record;
    yield { kind: 'record', record: shown, line };
  }

  #findBreak({ seq, prevHash }: ReadRecord): string | null {
    if (this.#last === null) return null;
    const expected = this.#last.seq + 1;
    const first = expected + this.#unreadable;
    if (seq > first) return `${formatRecords(first, seq - 1)} not found in any file`;
    const follows = this.#unreadable > 0 ? seq >= expected : seq === expected && prevHash === this.#last.hash;
    if (follows) return null;
    return `record ${seq} follows record ${this.#last.seq} but does not continue its chain: run \`signing-service audit verify\``;
  }
}

/** A message instead of a record. */
function toNotice(text: string): FollowerEvent {
  return { kind: 'notice', text };
}

function formatRecords(first: number, last: number): string {
  return first === last ? `record ${first} was` : `records ${first} to ${last} were`;
}

/** @throws the error itself if it is a bug */
function formatReadError(path: string, error: unknown): string {
  if (error instanceof CompressionError) return `${path} ${error.message}`;
  if (error instanceof UnsuitableFileError) return `${path} is not a regular file: give the path of the audit file`;
  if (!isSystemError(error)) throw error;
  const { code, path: place = path } = error as NodeJS.ErrnoException;
  return `${place} cannot be read (${code}): check its path, owner and mode`;
}
