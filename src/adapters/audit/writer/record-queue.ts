import type { RecordEntry } from '../../../domain/model/audit-entry.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { RecordContent } from '../record/signed-record.ts';

/** An entry with its text, so that later changes of its data are not recorded. */
export interface PreparedRecord {
  readonly entry: RecordEntry;
  readonly content: RecordContent;
}

/** Records of one `append`: written, or refused, together. */
export interface Submission {
  readonly records: readonly PreparedRecord[];
  /** Length of all texts, UTF-16 units. */
  readonly length: number;
  /** Called once: null when all are durable, else why not. */
  readonly acknowledge: (error: Error | null) => void;
}

/** Bounds of the queue. */
export interface QueueLimits {
  readonly maxQueuedRecords: number;
  /** UTF-16 units of all texts; bounds their memory. */
  readonly maxQueuedLength: number;
}

/** A submission in the queue or in the current group. */
interface Waiting {
  readonly submission: Submission;
  /** Number of checks before it was queued. */
  readonly since: number;
  isSettled: boolean;
}

/** Bounds the time that a group blocks the event loop. */
const MAX_GROUP_RECORDS = 500;

/** Timeout checks within the time that a record may wait. */
export const CHECKS_PER_TIMEOUT = 8;

/** Queued submissions and the current group; each is settled once. */
export class RecordQueue {
  readonly #limits: QueueLimits;
  #queue: Waiting[] = [];
  #group: readonly Waiting[] = [];
  /** Records and length of queue and group, including what was refused before it was written. */
  #records = 0;
  #length = 0;
  /** The group's part of them. */
  #taken = { records: 0, length: 0 };
  /** Time in checks, which stops with the process. */
  #checks = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Whether no record waits after the current group. */
  get isEmpty(): boolean {
    return this.#queue.length === 0;
  }

  /** Queued records, the current group included. */
  get size(): number {
    return this.#records;
  }

  /** Whether the oldest record timed out and the disk has not recovered. */
  get isStuck(): boolean {
    return (this.#group[0] ?? this.#queue[0])?.isSettled ?? false;
  }

  hasCapacity({ records, length }: Pick<Submission, 'records' | 'length'>): boolean {
    const { maxQueuedRecords, maxQueuedLength } = this.#limits;
    return this.#records + records.length <= maxQueuedRecords && this.#length + length <= maxQueuedLength;
  }

  add(submission: Submission): void {
    this.#queue.push({ submission, since: this.#checks, isSettled: false });
    this.#records += submission.records.length;
    this.#length += submission.length;
  }

  /** Forms a group from the oldest records that were not refused. */
  takeGroup(): readonly PreparedRecord[] {
    let count = 0;
    let records = 0;
    let length = 0;
    for (const { submission } of this.#queue) {
      if (count > 0 && records + submission.records.length > MAX_GROUP_RECORDS) break;
      count += 1;
      records += submission.records.length;
      length += submission.length;
    }
    this.#group = this.#queue.slice(0, count).filter(({ isSettled }) => !isSettled);
    this.#queue = this.#queue.slice(count);
    this.#taken = { records, length };
    return this.#group.flatMap(({ submission }) => submission.records);
  }

  /** Acknowledges or refuses the current group, and ends it. */
  settleGroup(error: Error | null): void {
    for (const waiting of this.#group) settle(waiting, error);
    this.#group = [];
    this.#records -= this.#taken.records;
    this.#length -= this.#taken.length;
    this.#taken = { records: 0, length: 0 };
  }

  /**
   * To be called {@link CHECKS_PER_TIMEOUT} times per timeout.
   * @returns whether a record timed out
   */
  check(): boolean {
    this.#checks += 1;
    return this.#waiting().some((waiting) => this.#isOverdue(waiting));
  }

  /** Refuses timed-out records and returns their number. */
  refuseOverdue(error: AuditUnavailableError): number {
    const overdue = this.#waiting().filter((waiting) => this.#isOverdue(waiting));
    for (const waiting of overdue) settle(waiting, error);
    return overdue.reduce((sum, { submission }) => sum + submission.records.length, 0);
  }

  refuseAll(error: AuditUnavailableError): void {
    for (const waiting of this.#waiting()) settle(waiting, error);
  }

  #waiting(): readonly Waiting[] {
    return [...this.#group, ...this.#queue];
  }

  #isOverdue({ since, isSettled }: Waiting): boolean {
    return !isSettled && this.#checks - since > CHECKS_PER_TIMEOUT;
  }
}

function settle(waiting: Waiting, error: Error | null): void {
  if (waiting.isSettled) return;
  waiting.isSettled = true;
  waiting.submission.acknowledge(error);
}
