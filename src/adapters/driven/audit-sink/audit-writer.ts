import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLogger, type Logger } from 'winston';
import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import {
  type AuditSigningKey,
  type ChainedRecord,
  chainEntry,
  signRecord,
} from '../../../audit-trail/signed-record.ts';
import type { AuditEntry } from '../../../domain/model/audit-entry.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { JsonObject } from '../../../domain/model/json.ts';
import type { CountedRecord, UsageLedger } from '../../../ports/usage-ledger.ts';
import type { AuditFile } from './audit-file.ts';
import { closedFault, overflowFault, stuckFault } from './audit-file-fault.ts';
import { AuditFileMaintenance, type MaintenanceParts } from './audit-file-maintenance.ts';
import { DurableFileTransport } from './durable-file-transport.ts';
import { type RecordCopies, unchanged } from './record-copies.ts';
import { toRecordInfo } from './record-info.ts';
import { CHECKS_PER_TIMEOUT, type PendingRecord, type QueueLimits, RecordQueue } from './record-queue.ts';

/** What the writer is made of. */
export interface AuditWriterOptions extends QueueLimits, MaintenanceParts {
  readonly key: AuditSigningKey;
  readonly usage: UsageLedger;
  readonly copies: RecordCopies;
  /** How long a record may wait to be durable before it is refused, milliseconds. */
  readonly timeoutMs: number;
}

/** About the length of an entry without its data and principal, UTF-16 units. */
const FIXED_LENGTH = 512;

/**
 * The one writer of the audit file, with one queue and group commit: the entries that wait at the
 * end of an event-loop tick are chained behind the head, the last one is signed, and all go through
 * a winston logger to the {@link DurableFileTransport}, which writes them at once. Those that come
 * meanwhile are the next group. After an error every waiting and later entry is refused until a new
 * file could be begun. One task at a time uses the file.
 */
export class AuditWriter {
  readonly #options: AuditWriterOptions;
  readonly #file: AuditFile;
  readonly #maintenance: AuditFileMaintenance;
  readonly #queue: RecordQueue;
  readonly #logger: Logger;
  readonly #deadlineTimer: NodeJS.Timeout;
  #turn: Promise<void> = Promise.resolve();
  #isCommitting = false;
  #inFlight: { readonly entries: readonly AuditEntry[]; readonly records: readonly ChainedRecord[] } | null = null;
  #settle: (error: AuditUnavailableError | null) => void = () => undefined;
  #isComplete = false;
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(options: AuditWriterOptions) {
    this.#options = options;
    this.#file = options.file;
    this.#maintenance = new AuditFileMaintenance(options, (task) => void this.#do(task));
    this.#queue = new RecordQueue(options);
    const transport = new DurableFileTransport(this.#maintenance, {
      onDurable: () => this.#onDurable(),
      onSettled: (error) => this.#settle(error),
    });
    this.#logger = createLogger({ level: 'info', format: unchanged(), transports: [transport] });
    this.#deadlineTimer = setInterval(() => void this.#refuseOverdue(), options.timeoutMs / CHECKS_PER_TIMEOUT).unref();
  }

  /** The last durable record. */
  get head(): ChainHead {
    return this.#file.head;
  }

  /** Offset behind it in the file, bytes. */
  get size(): number {
    return this.#file.size;
  }

  /** Entries that wait, with those that are being written. */
  get queued(): number {
    return this.#queue.size;
  }

  /** Null while entries can be written; else why not. */
  get failure(): AuditUnavailableError | null {
    if (this.#file.damage !== null) return this.#file.damage.error;
    return this.#queue.isStuck ? stuckFault(this.#file.path, this.#options.timeoutMs) : null;
  }

  /** Whether a record became durable within the last so many milliseconds. */
  wroteWithin(milliseconds: number): boolean {
    return performance.now() - this.#writtenAt < milliseconds;
  }

  /** Whether the chain ends, for certain, with `head`: all is written and closed. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** @throws AuditUnavailableError (rejects) when the entry is not durable, or not in time */
  append(entry: AuditEntry): Promise<void> {
    return new Promise((resolve, reject) => {
      const acknowledge = (error: AuditUnavailableError | null) => (error === null ? resolve() : reject(error));
      const record = { ...snapshotOf(entry), acknowledge };
      const refusal = this.failure ?? this.#overflow(record);
      if (refusal !== null) return reject(refusal);
      this.#queue.add(record);
      this.#scheduleCommit();
    });
  }

  /** An operator has moved the file, or knows of its damage. */
  reopen(): Promise<void> {
    return this.#do(() => this.#maintenance.reopen());
  }

  /**
   * Notices what another program did to the file, as before a record. Waits for what is being
   * written.
   */
  check(): Promise<void> {
    return this.#do(() => this.#maintenance.check());
  }

  /** Writes what waits and closes the file, within the time that a record may wait. */
  async close(): Promise<void> {
    this.#maintenance.stop();
    const { timeoutMs, notices, copies } = this.#options;
    const { path } = this.#file;
    const closing = this.#do(() => this.#closeFile()).catch((cause: unknown) => notices.notClosed(path, cause));
    const isInTime = await isSettledWithin(timeoutMs, closing);
    if (!isInTime) notices.notClosed(path, stuckFault(path, timeoutMs));
    this.#isComplete &&= isInTime;
    clearInterval(this.#deadlineTimer);
    this.#queue.refuseAll(closedFault());
    this.#logger.end();
    await isSettledWithin(timeoutMs, copies.close());
  }

  async #closeFile(): Promise<void> {
    while (!this.#queue.isEmpty) await this.#commit();
    this.#isComplete = this.#file.damage === null;
    await this.#file.close();
  }

  #overflow(record: PendingRecord): AuditUnavailableError | null {
    return this.#queue.hasRoomFor(record) ? null : overflowFault(this.#file.path, this.#queue.size);
  }

  /** Runs a task when it has the file for itself. */
  #do(task: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(task);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** A group is made at the end of the event-loop tick, or when the one before it is settled. */
  #scheduleCommit(): void {
    if (this.#isCommitting) return;
    this.#isCommitting = true;
    setImmediate(() => void this.#do(() => this.#commitNext()));
  }

  async #commitNext(): Promise<void> {
    if (!this.#queue.isEmpty) await this.#commit();
    this.#isCommitting = !this.#queue.isEmpty;
    if (this.#isCommitting) void this.#do(() => this.#commitNext());
  }

  async #commit(): Promise<void> {
    await this.#maintenance.prepare();
    const wasStuck = this.#queue.isStuck;
    const group = this.#queue.takeGroup();
    const error = this.#file.damage?.error ?? (await this.#write(group.map(({ entry }) => entry)));
    if (error === null && (wasStuck || this.#queue.isStuck)) this.#options.notices.unstuck(this.#file.path);
    this.#queue.settleGroup(error);
  }

  /** Sends the records of a group through winston; resolves when the transport has settled it. */
  #write(entries: readonly AuditEntry[]): Promise<AuditUnavailableError | null> {
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
    const { usage, notices, copies } = this.#options;
    const { entries, records } = this.#inFlight ?? { entries: [], records: [] };
    for (const entry of entries) usage.count(countedPartOf(entry));
    const checkpoint = records.at(-1)?.checkpoint ?? null;
    if (checkpoint !== null) notices.signed(checkpoint);
    for (const record of records) copies.send(record);
  }

  /** What has waited too long is refused, whatever becomes of it on the disk. */
  async #refuseOverdue(): Promise<void> {
    if (!this.#queue.check()) return;
    // What the disk has done may wait behind this timer.
    await nextTurn();
    const fault = stuckFault(this.#file.path, this.#options.timeoutMs);
    const refused = this.#queue.refuseOverdue(fault);
    if (refused > 0) this.#options.notices.stuck(fault, refused);
  }
}

/** Chains entries behind `head` and signs the last one. */
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

/**
 * An entry as it is now, whatever becomes of its data before it is written, and about its length.
 */
function snapshotOf(entry: AuditEntry): Pick<PendingRecord, 'entry' | 'length'> {
  const length = FIXED_LENGTH + (entry.principal?.length ?? 0);
  if (entry.data === null) return { entry: { ...entry }, length };
  try {
    const json = JSON.stringify(entry.data);
    return { entry: { ...entry, data: JSON.parse(json) as JsonObject }, length: length + json.length };
  } catch {
    // Its line says that its data can't be written as JSON.
    return { entry: { ...entry }, length };
  }
}

function countedPartOf({ event, time, outcome, platformId, accountId, algorithm }: AuditEntry): CountedRecord {
  return { event, time, outcome, platformId, accountId, algorithm };
}

async function isSettledWithin(milliseconds: number, promise: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds).unref();
  });
  const isSettled = await Promise.race([promise.then(() => true), overdue]);
  clearTimeout(timer);
  return isSettled;
}
