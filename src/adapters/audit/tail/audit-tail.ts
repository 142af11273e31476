import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditRecord, FollowerEvent, FollowRequest } from '../../../domain/model/audit-entry.ts';
import { OperatorError } from '../../../domain/model/errors.ts';
import { compareWith, formatRecords } from '../record/chain-verifier.ts';
import { type ReadRecord, readRecord } from '../record/read-record.ts';
import { readChain } from '../segments/chain-reader.ts';
import type { Line } from '../segments/lines.ts';
import { formatReadError } from '../segments/read-error.ts';
import { withSegment } from '../segments/segment-reader.ts';
import { findStart } from './find-start.ts';

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
