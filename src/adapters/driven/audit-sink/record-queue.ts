import type { AuditEntry } from '../../../domain/model/audit-entry.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';

/** An entry that waits for its place in the chain. */
export interface PendingRecord {
  readonly entry: AuditEntry;
  /** About its length, UTF-16 units. */
  readonly length: number;
  /** Called once, with null when the record is durable, else with why that is not known or not so. */
  readonly acknowledge: (error: AuditUnavailableError | null) => void;
}

/** How much may wait at once. */
export interface QueueLimits {
  readonly maxQueuedRecords: number;
  /** About the UTF-16 units of all entries, which bounds their memory. */
  readonly maxQueuedLength: number;
}

/** A record in the queue, or in the group that is being written. */
interface Waiting {
  readonly record: PendingRecord;
  /** Number of the check before it came. */
  readonly since: number;
  isSettled: boolean;
}

/**
 * Records of one group commit: more would block the event loop for more than a few milliseconds.
 */
export const MAX_GROUP_RECORDS = 500;

/** Checks of the waiting records, in the time that one may wait. */
export const CHECKS_PER_TIMEOUT = 8;

/**
 * The records that wait, and the group of them that is being written. Each is acknowledged or
 * refused once.
 */
export class RecordQueue {
  readonly #limits: QueueLimits;
  #queue: Waiting[] = [];
  #group: readonly Waiting[] = [];
  #length = 0;
  /** The part of `#length` that is the group's, with those that were refused before it was made. */
  #groupLength = 0;
  /** The clock of the queue: it stands still while this process does, so the disk is not blamed. */
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

  /**
   * Whether the oldest was refused because it waited too long, and the disk has not come back
   * since.
   */
  get isStuck(): boolean {
    return (this.#group[0] ?? this.#queue[0])?.isSettled ?? false;
  }

  hasRoomFor({ length }: Pick<PendingRecord, 'length'>): boolean {
    const { maxQueuedRecords, maxQueuedLength } = this.#limits;
    return this.size < maxQueuedRecords && this.#length + length <= maxQueuedLength;
  }

  add(record: PendingRecord): void {
    this.#queue.push({ record, since: this.#checks, isSettled: false });
    this.#length += record.length;
  }

  /** Makes a group of those that have waited longest and were not refused meanwhile. */
  takeGroup(): readonly PendingRecord[] {
    const taken = this.#queue.slice(0, MAX_GROUP_RECORDS);
    this.#queue = this.#queue.slice(MAX_GROUP_RECORDS);
    this.#groupLength = taken.reduce((sum, { record }) => sum + record.length, 0);
    this.#group = taken.filter(({ isSettled }) => !isSettled);
    return this.#group.map(({ record }) => record);
  }

  /** Acknowledges the group, or refuses it, and so ends it. */
  settleGroup(error: AuditUnavailableError | null): void {
    for (const waiting of this.#group) settle(waiting, error);
    this.#group = [];
    this.#length -= this.#groupLength;
    this.#groupLength = 0;
  }

  /**
   * To be called {@link CHECKS_PER_TIMEOUT} times in the time that a record may wait.
   * @returns whether one has waited too long
   */
  check(): boolean {
    this.#checks += 1;
    return this.#waiting().some((waiting) => this.#isOverdue(waiting));
  }

  /** Refuses what has waited too long, and returns how many that were. */
  refuseOverdue(error: AuditUnavailableError): number {
    const overdue = this.#waiting().filter((waiting) => this.#isOverdue(waiting));
    for (const waiting of overdue) settle(waiting, error);
    return overdue.length;
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

function settle(waiting: Waiting, error: AuditUnavailableError | null): void {
  if (waiting.isSettled) return;
  waiting.isSettled = true;
  waiting.record.acknowledge(error);
}
