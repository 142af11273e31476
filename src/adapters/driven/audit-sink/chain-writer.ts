import type { ChainHead, RecordEntry } from '../../../audit-trail/audit-record.ts';
import { type CheckpointKey, signCheckpoint } from '../../../audit-trail/checkpoint-note.ts';
import type { CheckpointSchedule } from '../../../audit-trail/checkpoint-schedule.ts';
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

/** How far a chain reaches, and what no checkpoint covers yet. */
export interface ChainEnd {
  readonly head: ChainHead;
  readonly schedule: CheckpointSchedule;
}

/** Lines that go on from one end of the chain to the next. They are facts only once they are durable: until then the end they started from stays true. */
export class ChainDraft {
  readonly #scribe: Scribe;
  readonly #schedule: CheckpointSchedule;
  #head: ChainHead;
  #text = '';
  #note: string | null = null;

  constructor({ head, schedule }: ChainEnd, scribe: Scribe) {
    this.#scribe = scribe;
    this.#head = head;
    this.#schedule = schedule.copy();
  }

  /** The chain's end when these lines are durable. */
  get end(): ChainEnd {
    return { head: this.#head, schedule: this.#schedule };
  }

  /** The lines, each with its newline. */
  get text(): string {
    return this.#text;
  }

  /** The newest checkpoint among the lines, null when there is none. */
  get note(): string | null {
    return this.#note;
  }

  /** Adds a record, and before it a checkpoint where one is due. */
  add(record: PreparedRecord): void {
    if (this.#schedule.isDueBefore(record.time)) this.addCheckpoint();
    this.#append(record);
    this.#schedule.count(record.time);
  }

  /** Vouches for all that stands before. Without anything new, nothing is added. */
  addCheckpoint(): void {
    const { seq, hash } = this.#head;
    if (this.#schedule.uncovered === 0 || hash === null) return;
    const { key, instanceId } = this.#scribe;
    const time = this.#now();
    this.#note = signCheckpoint({ instanceId, seq, hash, time }, key);
    this.#append(this.#prepare('checkpoint', time, { note: this.#note }));
    this.#schedule.cover();
  }

  /** Begins a file. */
  addSegment(reason: SegmentReason): void {
    const time = this.#now();
    this.#append(this.#prepare('segment', time, segmentData(reason, this.#scribe.key.publicKey)));
    this.#schedule.count(time);
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
