import type { AuditHead, AuditRecord, FollowerEvent, FollowRequest } from '../../../domain/model/audit-entry.ts';
import { type ReadRecord, readRecord } from '../record/read-record.ts';
import { MAX_LINE_BYTES } from '../record/record-fields.ts';
import { findLinesFromEnd, lineOffset, readRecordBefore } from './find-offset.ts';
import type { Start } from './find-start.ts';
import type { FollowedFile } from './followed-file.ts';
import { openWithNext, RotatedFiles } from './rotated-files.ts';

/** A message instead of a record. */
export function followerNotice(text: string): FollowerEvent {
  return { kind: 'notice', text };
}

/** Reads files in chain order, and fills gaps from rotated files. */
export class ChainReader {
  readonly #path: string;
  readonly #isWanted: (record: AuditRecord) => boolean;
  readonly #signal: FollowRequest['signal'];
  /** The last record read; null when unknown. */
  #head: AuditHead | null = null;
  /** Unreadable lines after it; each counts as one record number. */
  #unreadable = 0;

  constructor({ file, isWanted, signal }: FollowRequest) {
    this.#path = file;
    this.#isWanted = isWanted ?? (() => true);
    this.#signal = signal;
  }

  /** Positions a file at the start. */
  async startAt({ file, offset }: Start): Promise<void> {
    await file.moveTo(offset);
    this.#setHead(await readRecordBefore(file.handle, offset));
  }

  /** Yields what follows in the file until its end or abort. */
  async *readOn(file: FollowedFile): AsyncGenerator<FollowerEvent> {
    yield* this.#handleChange(file);
    for await (const { lines, start } of file.readOn()) {
      for (const [index, line] of lines.entries()) {
        if (this.#signal.aborted) return;
        const record = parseLine(line);
        if ('issue' in record) {
          yield this.#noteIssue(file, record.issue, lineOffset(lines, start, index));
          continue;
        }
        if (this.#missingBefore(record) > 0) yield* this.#fillGap(record, file);
        yield* this.#emit(record, line);
      }
    }
  }

  async *#handleChange(file: FollowedFile): AsyncGenerator<FollowerEvent> {
    const change = await file.findChange();
    if (change === 'none') return;
    if (change === 'replaced') {
      yield followerNotice(`${file.path} was truncated or rewritten: reading from its beginning`);
      return file.moveTo(0);
    }
    const { offset } = await findLinesFromEnd(file.handle, await file.size(), 0, 0, () => true);
    yield followerNotice(`${file.path} was shortened by ${file.offset - offset} bytes: its last lines were removed`);
    await file.moveTo(offset);
    this.#setHead(await readRecordBefore(file.handle, offset));
  }

  async *#fillGap(next: ReadRecord, file: FollowedFile): AsyncGenerator<FollowerEvent> {
    const rotatedFiles = new RotatedFiles(this.#path);
    while (this.#missingBefore(next) > 0 && !this.#signal.aborted) {
      const head = this.#head;
      const found = head && (await rotatedFiles.find(true, (segments) => openWithNext(segments, head, file.id)));
      if (found === null) return;
      try {
        yield* this.#readBetween(found, next.seq);
      } finally {
        await found.close();
      }
    }
  }

  /** Reads a file from after the last record up to `end`, exclusive. */
  async *#readBetween(file: FollowedFile, end: number): AsyncGenerator<FollowerEvent> {
    let isAfterHead = false;
    for await (const { lines, start } of file.readOn()) {
      for (const [index, line] of lines.entries()) {
        if (this.#signal.aborted) return;
        const record = parseLine(line);
        if ('issue' in record) {
          if (isAfterHead) yield this.#noteIssue(file, record.issue, lineOffset(lines, start, index));
          continue;
        }
        isAfterHead ||= record.seq - 1 === this.#head?.seq && record.prevHash === this.#head.hash;
        if (record.seq >= end) return;
        if (isAfterHead) yield* this.#emit(record, line);
      }
    }
  }

  *#emit(record: ReadRecord, line: string | null): Generator<FollowerEvent> {
    const missing = this.#missingBefore(record);
    if (missing > 0)
      yield followerNotice(`${formatRecords(record.seq - missing, record.seq - 1)} not found in any file`);
    else if (this.#breaksChain(record)) yield followerNotice(`record ${record.seq} ${this.#formatBreak(record)}`);
    this.#setHead(record);
    if (line === null || !this.#isWanted(record)) return;
    const { hash: _hash, checkpoint: _checkpoint, ...shown } = record;
    yield { kind: 'record', record: shown, line };
  }

  /** Records before this one that were neither read nor seen damaged. */
  #missingBefore({ seq }: ReadRecord): number {
    return this.#head === null ? 0 : Math.max(0, seq - 1 - this.#head.seq - this.#unreadable);
  }

  #breaksChain({ seq, prevHash }: ReadRecord): boolean {
    if (this.#head === null) return false;
    if (this.#unreadable > 0) return seq <= this.#head.seq;
    return seq !== this.#head.seq + 1 || prevHash !== this.#head.hash;
  }

  #formatBreak({ seq }: ReadRecord): string {
    const where = `follows record ${this.#head?.seq}`;
    return seq === 1
      ? `${where}: another chain begins`
      : `${where} but does not continue its chain: run \`signing-service audit verify\``;
  }

  #noteIssue(file: FollowedFile, issue: string, offset: number | null): FollowerEvent {
    this.#unreadable += 1;
    const where = offset === null ? '' : ` at byte ${offset}`;
    const after = this.#head === null ? '' : `, after record ${this.#head.seq},`;
    return followerNotice(`${file.path}: the line${where}${after} ${issue}`);
  }

  #setHead(head: AuditHead | null): void {
    this.#head = head;
    this.#unreadable = 0;
  }
}

function parseLine(line: string | null) {
  return line === null ? { issue: `is not UTF-8 or is not shorter than ${MAX_LINE_BYTES} bytes` } : readRecord(line);
}

function formatRecords(first: number, last: number): string {
  return first === last ? `record ${first} was` : `records ${first} to ${last} were`;
}
