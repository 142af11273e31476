import type { ChainHead, RecordEntry } from '../../../audit-trail/audit-record.ts';
import { type CheckpointKey, signCheckpoint } from '../../../audit-trail/checkpoint-note.ts';
import { chainRecord, type PreparedRecord, prepareRecord } from '../../../audit-trail/prepared-record.ts';
import { type SegmentReason, segmentData } from '../../../audit-trail/segment.ts';
import { NO_REQUEST } from '../../../domain/model/audit-entry.ts';
import type { Clock } from '../../../ports/clock.ts';

/** Who writes: named in the records that the file itself needs. */
export interface Scribe {
  readonly key: CheckpointKey;
  readonly instanceId: string;
  readonly clock: Clock;
}

/** Lines that go on from one end of the chain to the next. They are facts only once they are durable: until then the end they started from stays true. */
export class ChainDraft {
  readonly #scribe: Scribe;
  #head: ChainHead;
  #text = '';
  #note: string | null = null;

  constructor(head: ChainHead, scribe: Scribe) {
    this.#scribe = scribe;
    this.#head = head;
  }

  /** The last record when these lines are durable. */
  get head(): ChainHead {
    return this.#head;
  }

  /** The lines, each with its newline. */
  get text(): string {
    return this.#text;
  }

  /** The checkpoint that ends the lines; null before {@link sign}. */
  get note(): string | null {
    return this.#note;
  }

  add(record: PreparedRecord): void {
    this.#append(record);
  }

  /** Ends the lines with a checkpoint, which vouches for all that stands before it. */
  sign(): void {
    const { seq, hash } = this.#head;
    if (hash === null) throw new RangeError('There is no record that a checkpoint could cover.');
    const { key, instanceId } = this.#scribe;
    const time = this.#now();
    this.#note = signCheckpoint({ instanceId, seq, hash, time }, key);
    this.#append(this.#prepare('checkpoint', time, { note: this.#note }));
  }

  /** Begins a file. */
  addSegment(reason: SegmentReason): void {
    const time = this.#now();
    this.#append(this.#prepare('segment', time, segmentData(reason, this.#scribe.key.publicKey)));
  }

  #append(record: PreparedRecord): void {
    const { line, head } = chainRecord(record, this.#head);
    this.#text += `${line}\n`;
    this.#head = head;
  }

  #prepare(event: 'checkpoint' | 'segment', time: string, data: RecordEntry['data']): PreparedRecord {
    return prepareRecord({
      ...NO_REQUEST,
      time,
      event,
      outcome: 'success',
      data,
      instanceId: this.#scribe.instanceId,
    });
  }

  #now(): string {
    return new Date(this.#scribe.clock.now()).toISOString();
  }
}
