import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import { MAX_LINE_BYTES } from '../../../audit-trail/audit-record.ts';
import { type ReadRecord, readRecord } from '../../../audit-trail/read-record.ts';
import type { FilterFields, FollowRequest, Sighting } from '../../../domain/model/audit-sighting.ts';
import { FilesBeside, openWithNext } from './files-beside.ts';
import { findLinesBack, lineOffset, readRecordBefore } from './find-offset.ts';
import type { Start } from './find-start.ts';
import type { FollowedFile } from './followed-file.ts';
import { notice } from './notice.ts';

/** Reads files in the order of the chain, and brings what is missing between two records from the files beside. */
export class ChainReader {
  readonly #path: string;
  readonly #isWanted: (record: FilterFields) => boolean;
  readonly #signal: FollowRequest['signal'];
  /** The last record that was read; null when it is not known. */
  #head: ChainHead | null = null;
  /** Lines behind it that were no records: they stand for as many numbers. */
  #unreadable = 0;

  constructor({ file, isWanted, signal }: FollowRequest) {
    this.#path = file;
    this.#isWanted = isWanted ?? (() => true);
    this.#signal = signal;
  }

  /** Puts a file where reading begins. */
  async beginAt({ file, offset }: Start): Promise<void> {
    await file.moveTo(offset);
    this.#setHead(await readRecordBefore(file.handle, offset));
  }

  /** What stands in the file behind what was read, until it ends or reading is ended. */
  async *readOn(file: FollowedFile): AsyncGenerator<Sighting> {
    yield* this.#meetChange(file);
    for await (const { lines, start } of file.readOn()) {
      for (const [index, line] of lines.entries()) {
        if (this.#signal.aborted) return;
        const record = recordOf(line);
        if ('fault' in record) {
          yield this.#faultOf(file, record.fault, lineOffset(lines, start, index));
          continue;
        }
        if (this.#missingBefore(record) > 0) yield* this.#fillGap(record, file);
        yield* this.#give(record, line);
      }
    }
  }

  async *#meetChange(file: FollowedFile): AsyncGenerator<Sighting> {
    const change = await file.findChange();
    if (change === 'none') return;
    if (change === 'replaced') {
      yield notice(`${file.path} was truncated or written anew: reading it from its beginning`);
      return file.moveTo(0);
    }
    const { offset } = await findLinesBack(file.handle, await file.size(), 0, 0, () => true);
    yield notice(`${file.path} was cut by ${file.offset - offset} bytes: its last lines were taken back`);
    await file.moveTo(offset);
    this.#setHead(await readRecordBefore(file.handle, offset));
  }

  /** Reads the records up to `next` from the files beside. */
  async *#fillGap(next: ReadRecord, file: FollowedFile): AsyncGenerator<Sighting> {
    const beside = new FilesBeside(this.#path);
    while (this.#missingBefore(next) > 0 && !this.#signal.aborted) {
      const head = this.#head;
      const found = head && (await beside.find(true, (segments) => openWithNext(segments, head, file.id)));
      if (found === null) return;
      try {
        yield* this.#readBetween(found, next.seq);
      } finally {
        await found.close();
      }
    }
  }

  /** Reads a file from the record behind the last one to the one before `end`. */
  async *#readBetween(file: FollowedFile, end: number): AsyncGenerator<Sighting> {
    let isBehind = false;
    for await (const { lines, start } of file.readOn()) {
      for (const [index, line] of lines.entries()) {
        if (this.#signal.aborted) return;
        const record = recordOf(line);
        if ('fault' in record) {
          if (isBehind) yield this.#faultOf(file, record.fault, lineOffset(lines, start, index));
          continue;
        }
        isBehind ||= record.seq - 1 === this.#head?.seq && record.prevHash === this.#head.hash;
        if (record.seq >= end) return;
        if (isBehind) yield* this.#give(record, line);
      }
    }
  }

  *#give(record: ReadRecord, line: string | null): Generator<Sighting> {
    const missing = this.#missingBefore(record);
    if (missing > 0) yield notice(`${recordsText(record.seq - missing, record.seq - 1)} not found in any file`);
    else if (this.#isElsewhere(record)) yield notice(`record ${record.seq} ${this.#breakText(record)}`);
    this.#setHead(record);
    if (line === null || !this.#isWanted(record)) return;
    const { hash: _hash, checkpoint: _checkpoint, ...shown } = record;
    yield { kind: 'record', record: shown, line };
  }

  /** How many records between the last one and this one were neither read nor seen damaged. */
  #missingBefore({ seq }: ReadRecord): number {
    return this.#head === null ? 0 : Math.max(0, seq - 1 - this.#head.seq - this.#unreadable);
  }

  #isElsewhere({ seq, prevHash }: ReadRecord): boolean {
    if (this.#head === null) return false;
    if (this.#unreadable > 0) return seq <= this.#head.seq;
    return seq !== this.#head.seq + 1 || prevHash !== this.#head.hash;
  }

  #breakText({ seq }: ReadRecord): string {
    const where = `stands behind record ${this.#head?.seq}`;
    return seq === 1
      ? `${where}: another chain begins`
      : `${where} and does not follow from it: audit verify tells more`;
  }

  #faultOf(file: FollowedFile, fault: string, offset: number | null): Sighting {
    this.#unreadable += 1;
    const where = offset === null ? '' : ` at byte ${offset}`;
    const behind = this.#head === null ? '' : `, behind record ${this.#head.seq},`;
    return notice(`${file.path}: the line${where}${behind} ${fault}`);
  }

  #setHead(head: ChainHead | null): void {
    this.#head = head;
    this.#unreadable = 0;
  }
}

function recordOf(line: string | null) {
  return line === null ? { fault: `is no text of less than ${MAX_LINE_BYTES} bytes` } : readRecord(line);
}

function recordsText(first: number, last: number): string {
  return first === last ? `record ${first} was` : `records ${first} to ${last} were`;
}
