import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLogger, type Logger } from 'winston';
import type { AuditEntry } from '../../../domain/model/audit-entry.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { JsonObject } from '../../../domain/model/json.ts';
import type { AuditCheckpoint } from '../../../ports/audit-sink.ts';
import type { CountedRecord, UsageLedger } from '../../../ports/usage-ledger.ts';
import { settleWithin } from '../../node/settle-within.ts';
import type { AuditFile } from '../file/audit-file.ts';
import { closedError, commitTimeoutError, queueFullError } from '../file/audit-file-error.ts';
import type { ChainHead } from '../record/audit-record.ts';
import { type AuditSigningKey, type ChainedRecord, chainEntry, signRecord } from '../record/signed-record.ts';
import { AuditFileMaintenance, type MaintenanceParts } from './audit-file-maintenance.ts';
import { DurableFileTransport, type RecordCopies, toRecordInfo, unchanged } from './record-transports.ts';

/** An entry in the queue. */
export interface PendingRecord {
  readonly entry: AuditEntry;
  /** Approximate length, UTF-16 units. */
  readonly length: number;
  /** Called once: null when durable, else why not. */
  readonly acknowledge: (error: Error | null) => void;
}

/** Bounds of the queue. */
interface QueueLimits {
  readonly maxQueuedRecords: number;
  /** UTF-16 units of all entries, approximately; bounds their memory. */
  readonly maxQueuedLength: number;
}

/** A record in the queue or in the current group. */
interface Waiting {
  readonly record: PendingRecord;
  /** Number of checks before it was queued. */
  readonly since: number;
  isSettled: boolean;
}

/** Bounds the time that a group blocks the event loop. */
export const MAX_GROUP_RECORDS = 500;

/** Timeout checks within the time that a record may wait. */
export const CHECKS_PER_TIMEOUT = 8;

/** Queued records and the current group; each is settled once. */
export class RecordQueue {
  readonly #limits: QueueLimits;
  #queue: Waiting[] = [];
  #group: readonly Waiting[] = [];
  #length = 0;
  /** The group's part of `#length`, records refused before it was formed included. */
  #groupLength = 0;
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
    return this.#queue.length + this.#group.length;
  }

  /** Whether the oldest record timed out and the disk has not recovered. */
  get isStuck(): boolean {
    return (this.#group[0] ?? this.#queue[0])?.isSettled ?? false;
  }

  hasCapacity({ length }: Pick<PendingRecord, 'length'>): boolean {
    const { maxQueuedRecords, maxQueuedLength } = this.#limits;
    return this.size < maxQueuedRecords && this.#length + length <= maxQueuedLength;
  }

  add(record: PendingRecord): void {
    this.#queue.push({ record, since: this.#checks, isSettled: false });
    this.#length += record.length;
  }

  /** Forms a group from the oldest records that were not refused. */
  takeGroup(): readonly PendingRecord[] {
    const taken = this.#queue.slice(0, MAX_GROUP_RECORDS);
    this.#queue = this.#queue.slice(MAX_GROUP_RECORDS);
    this.#groupLength = taken.reduce((sum, { record }) => sum + record.length, 0);
    this.#group = taken.filter(({ isSettled }) => !isSettled);
    return this.#group.map(({ record }) => record);
  }

  /** Acknowledges or refuses the current group, and ends it. */
  settleGroup(error: Error | null): void {
    for (const waiting of this.#group) settle(waiting, error);
    this.#group = [];
    this.#length -= this.#groupLength;
    this.#groupLength = 0;
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

function settle(waiting: Waiting, error: Error | null): void {
  if (waiting.isSettled) return;
  waiting.isSettled = true;
  waiting.record.acknowledge(error);
}

/** Dependencies and limits of the {@link AuditWriter}. */
interface AuditWriterOptions extends QueueLimits, MaintenanceParts {
  readonly key: AuditSigningKey;
  readonly usage: UsageLedger;
  readonly copies: RecordCopies;
  /** Called with the checkpoint of each durable group; must not throw. */
  readonly onCheckpoint: (checkpoint: AuditCheckpoint) => void;
  /** Time for a record to become durable before it is refused, milliseconds. */
  readonly timeoutMs: number;
}

/** Approximate length of an entry without its data and principal, UTF-16 units. */
const FIXED_LENGTH = 512;

/**
 * The only writer of the audit file: one queue with group commit. At the end of a tick the entries
 * are chained, the last one is signed, and all pass through winston to the {@link
 * DurableFileTransport}; later ones form the next group. After an error entries are refused until a
 * new file has begun.
 */
export class AuditWriter {
  readonly #options: AuditWriterOptions;
  readonly #file: AuditFile;
  readonly #maintenance: AuditFileMaintenance;
  readonly #queue: RecordQueue;
  readonly #logger: Logger;
  readonly #deadlineTimer: NodeJS.Timeout;
  #lastTask: Promise<void> = Promise.resolve();
  #isCommitting = false;
  #inFlight: { readonly entries: readonly AuditEntry[]; readonly records: readonly ChainedRecord[] } | null = null;
  #settle: (error: Error | null) => void = () => undefined;
  #isComplete = false;
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(options: AuditWriterOptions) {
    this.#options = options;
    this.#file = options.file;
    this.#maintenance = new AuditFileMaintenance(options, (task) => void this.#runExclusive(task));
    this.#queue = new RecordQueue(options);
    const transport = new DurableFileTransport(this.#maintenance, {
      onDurable: () => this.#onDurable(),
      onSettled: (error) => this.#settle(error),
    });
    this.#logger = createLogger({ level: 'info', format: unchanged(), transports: [transport] });
    this.#deadlineTimer = setInterval(() => void this.#refuseOverdue(), options.timeoutMs / CHECKS_PER_TIMEOUT).unref();
  }

  get head(): ChainHead {
    return this.#file.head;
  }

  /** End offset of `head`, bytes. */
  get size(): number {
    return this.#file.size;
  }

  /** Queued entries, those being written included. */
  get queued(): number {
    return this.#queue.size;
  }

  /** Why entries cannot be written; null while they can. */
  get failure(): AuditUnavailableError | null {
    if (this.#file.failure !== null) return this.#file.failure.error;
    return this.#queue.isStuck ? commitTimeoutError(this.#file.path, this.#options.timeoutMs) : null;
  }

  /** Whether a record became durable within the last `milliseconds`. */
  wroteWithin(milliseconds: number): boolean {
    return performance.now() - this.#writtenAt < milliseconds;
  }

  /** Whether the chain ends with `head` for certain. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** @throws AuditUnavailableError (rejects) when the entry is not durable in time */
  append(entry: AuditEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      const acknowledge = (error: Error | null) => (error === null ? resolve() : reject(error));
      const record = { ...copyEntry(entry), acknowledge };
      const refusal = this.failure ?? this.#overflow(record);
      if (refusal !== null) return reject(refusal);
      this.#queue.add(record);
      this.#scheduleCommit();
    });
  }

  /** An operator moved the file, or acknowledges its failure. */
  reopen(): Promise<void> {
    return this.#runExclusive(() => this.#maintenance.reopen());
  }

  /** Detects external modification, as before a record. Waits for the current write. */
  check(): Promise<void> {
    return this.#runExclusive(() => this.#maintenance.check());
  }

  /** Writes the queue and closes the file, within the timeout. */
  async close(): Promise<void> {
    this.#maintenance.stop();
    const { timeoutMs, auditLog, copies } = this.#options;
    const { path } = this.#file;
    const closing = this.#runExclusive(() => this.#closeFile()).catch((cause: unknown) =>
      auditLog.closeFailed(path, cause),
    );
    const isInTime = await settleWithin(
      timeoutMs,
      closing.then(() => true),
      () => false,
    );
    if (!isInTime) auditLog.closeFailed(path, commitTimeoutError(path, timeoutMs));
    this.#isComplete &&= isInTime;
    clearInterval(this.#deadlineTimer);
    this.#queue.refuseAll(closedError());
    this.#logger.end();
    await settleWithin(timeoutMs, copies.close(), () => undefined);
  }

  async #closeFile(): Promise<void> {
    while (!this.#queue.isEmpty) await this.#commit();
    this.#isComplete = this.#file.failure === null;
    await this.#file.close();
  }

  #overflow(record: PendingRecord): AuditUnavailableError | null {
    return this.#queue.hasCapacity(record) ? null : queueFullError(this.#file.path, this.#queue.size);
  }

  /** Runs a task with exclusive use of the file. */
  #runExclusive(task: () => Promise<void>): Promise<void> {
    const done = this.#lastTask.then(task);
    this.#lastTask = done.catch(() => undefined);
    return done;
  }

  /** At the end of the tick, or after the current group. */
  #scheduleCommit(): void {
    if (this.#isCommitting) return;
    this.#isCommitting = true;
    setImmediate(() => void this.#runExclusive(() => this.#commitNext()));
  }

  async #commitNext(): Promise<void> {
    if (!this.#queue.isEmpty) await this.#commit();
    this.#isCommitting = !this.#queue.isEmpty;
    if (this.#isCommitting) void this.#runExclusive(() => this.#commitNext());
  }

  async #commit(): Promise<void> {
    await this.#maintenance.prepare();
    const wasStuck = this.#queue.isStuck;
    const group = this.#queue.takeGroup();
    const error = this.#file.failure?.error ?? (await this.#write(group.map(({ entry }) => entry)));
    if (error === null && (wasStuck || this.#queue.isStuck)) this.#options.auditLog.commitResumed(this.#file.path);
    this.#queue.settleGroup(error);
  }

  /** Sends a group through winston; resolves when the transport has settled it. */
  #write(entries: readonly AuditEntry[]): Promise<Error | null> {
    if (entries.length === 0) return Promise.resolve(null);
    const records = chainGroup(entries, this.#file.head, this.#options.key);
    this.#inFlight = { entries, records };
    return new Promise((resolve) => {
      this.#settle = resolve;
      for (const record of records) this.#logger.write(toRecordInfo(record));
    });
  }

  #onDurable(): void {
    this.#writtenAt = performance.now();
    const { usage, auditLog, copies, onCheckpoint } = this.#options;
    const { entries, records } = this.#inFlight ?? { entries: [], records: [] };
    for (const entry of entries) usage.count(toCountedRecord(entry));
    const checkpoint = records.at(-1)?.checkpoint ?? null;
    if (checkpoint !== null) {
      auditLog.signed(checkpoint);
      onCheckpoint(checkpoint);
    }
    for (const record of records) copies.send(record);
  }

  /** A timed-out record is refused even if it becomes durable later. */
  async #refuseOverdue(): Promise<void> {
    if (!this.#queue.check()) return;
    // Completed I/O may be queued behind this timer.
    await nextTurn();
    const issue = commitTimeoutError(this.#file.path, this.#options.timeoutMs);
    const refused = this.#queue.refuseOverdue(issue);
    if (refused > 0) this.#options.auditLog.commitTimedOut(issue, refused);
  }
}

function chainGroup(entries: readonly AuditEntry[], head: ChainHead, key: AuditSigningKey): readonly ChainedRecord[] {
  let end = head;
  const records = entries.map((entry) => {
    const record = chainEntry(entry, end);
    end = record.head;
    return record;
  });
  const last = records.pop();
  return last === undefined ? [] : [...records, signRecord(last, key)];
}

/** Copies an entry, so that later changes of its data are not recorded. */
function copyEntry(entry: AuditEntry): Pick<PendingRecord, 'entry' | 'length'> {
  const length = FIXED_LENGTH + (entry.principal?.length ?? 0);
  if (entry.data === null) return { entry: { ...entry }, length };
  try {
    const json = JSON.stringify(entry.data);
    return { entry: { ...entry, data: JSON.parse(json) as JsonObject }, length: length + json.length };
  } catch {
    // Its line notes that the data is not JSON.
    return { entry: { ...entry }, length };
  }
}

function toCountedRecord({ event, time, outcome, platformId, accountId, algorithm }: AuditEntry): CountedRecord {
  return { event, time, outcome, platformId, accountId, algorithm };
}
