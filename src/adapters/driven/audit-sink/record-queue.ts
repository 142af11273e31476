import type { PreparedRecord } from '../../../audit-trail/prepared-record.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { CountedRecord } from '../../../ports/usage-ledger.ts';

/** A record that waits for its place on the file. */
export interface PendingRecord {
  readonly prepared: PreparedRecord;
  /** What of it the usage counters are made of. */
  readonly counted: CountedRecord;
  /** Called once, with null when the record is durable, else with why that is not known or not so. */
  readonly acknowledge: (error: AuditUnavailableError | null) => void;
}

/** How much may wait at once. */
export interface QueueLimits {
  readonly maxQueuedRecords: number;
  /** UTF-16 units of the records' lines, which bounds the memory that they take. */
  readonly maxQueuedLength: number;
}

/** A record in the queue, or in the group that is being written. */
interface Waiting {
  readonly record: PendingRecord;
  /** Number of the check before it came. */
  readonly since: number;
  isAnswered: boolean;
}

/** Records that are hashed and written at once: more would hold up the event loop for longer than a few milliseconds. */
export const MAX_GROUP_RECORDS = 500;

/** Checks of what waits, in the time that it may wait. */
export const CHECKS_PER_TIMEOUT = 8;

/** The records that wait, and the group of them that is being written. Each is answered once. */
export class RecordQueue {
  readonly #limits: QueueLimits;
  #queue: Waiting[] = [];
  #group: readonly Waiting[] = [];
  #length = 0;
  /** What of `#length` is that of the group, and of those who were refused before they came into one. */
  #groupLength = 0;
  /** Time is told by checks: while this process itself stands still there are none, and the disk is not blamed. */
  #checks = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Whether no record waits behind the group that is being written. */
  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Records that wait, with those that are being written. */
  get size(): number {
    return this.#queue.length + this.#group.length;
  }

  /** Whether the oldest was refused because it waited too long, and the disk has not answered since. */
  get isStuck(): boolean {
    return (this.#group[0] ?? this.#queue[0])?.isAnswered ?? false;
  }

  hasRoomFor({ prepared }: PendingRecord): boolean {
    const { maxQueuedRecords, maxQueuedLength } = this.#limits;
    return this.size < maxQueuedRecords && this.#length + prepared.line.length <= maxQueuedLength;
  }

  add(record: PendingRecord): void {
    this.#queue.push({ record, since: this.#checks, isAnswered: false });
    this.#length += record.prepared.line.length;
  }

  /** Makes a group of those that have waited longest and were not refused meanwhile. */
  takeGroup(): readonly PendingRecord[] {
    const taken = this.#queue.slice(0, MAX_GROUP_RECORDS);
    this.#queue = this.#queue.slice(MAX_GROUP_RECORDS);
    this.#groupLength = taken.reduce((sum, { record }) => sum + record.prepared.line.length, 0);
    this.#group = taken.filter(({ isAnswered }) => !isAnswered);
    return this.#group.map(({ record }) => record);
  }

  /** Answers the group, which is over then. */
  answerGroup(error: AuditUnavailableError | null): void {
    for (const waiting of this.#group) answer(waiting, error);
    this.#group = [];
    this.#length -= this.#groupLength;
    this.#groupLength = 0;
  }

  /** To be called {@link CHECKS_PER_TIMEOUT} times in the time that a record may wait. Returns whether one has waited too long. */
  check(): boolean {
    this.#checks += 1;
    return this.#waiting().some((waiting) => this.#isOverdue(waiting));
  }

  /** Refuses what has waited too long, and returns how many that were. */
  refuseOverdue(error: AuditUnavailableError): number {
    const overdue = this.#waiting().filter((waiting) => this.#isOverdue(waiting));
    for (const waiting of overdue) answer(waiting, error);
    return overdue.length;
  }

  refuseAll(error: AuditUnavailableError): void {
    for (const waiting of this.#waiting()) answer(waiting, error);
  }

  #waiting(): readonly Waiting[] {
    return [...this.#group, ...this.#queue];
  }

  #isOverdue({ since, isAnswered }: Waiting): boolean {
    return !isAnswered && this.#checks - since > CHECKS_PER_TIMEOUT;
  }
}

function answer(waiting: Waiting, error: AuditUnavailableError | null): void {
  if (waiting.isAnswered) return;
  waiting.isAnswered = true;
  waiting.record.acknowledge(error);
}
