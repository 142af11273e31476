import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLogger, type Logger } from 'winston';
import type { AuditCheckpoint, AuditEntry, AuditHead } from '../../../domain/model/audit-entry.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { UsageLedger } from '../../../ports/usage-ledger.ts';
import { settleWithin } from '../../node/settle-within.ts';
import type { AuditFile } from '../file/audit-file.ts';
import { closedError, commitTimeoutError, queueFullError } from '../file/audit-file-error.ts';
import {
  type AuditSigningKey,
  type ChainedRecord,
  chainContent,
  recordContent,
  signRecord,
} from '../record/signed-record.ts';
import { AuditFileMaintenance, type MaintenanceParts } from './audit-file-maintenance.ts';
import {
  CHECKS_PER_TIMEOUT,
  type PreparedRecord,
  type QueueLimits,
  RecordQueue,
  type Submission,
} from './record-queue.ts';
import { DurableFileTransport, type RecordCopies, toGroupInfo, unchanged } from './record-transports.ts';

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

/**
 * The only writer of the audit file: one queue with group commit. At the end of a tick the entries
 * are chained, the last one is signed, and all pass through winston as one event to the {@link
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
  #inFlight: { readonly prepared: readonly PreparedRecord[]; readonly records: readonly ChainedRecord[] } | null = null;
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

  get head(): AuditHead {
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

  /** @throws AuditUnavailableError (rejects) when the entries are not durable in time */
  append(entries: readonly AuditEntry[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const records = entries.map(prepare);
      const submission = {
        records,
        length: records.reduce((sum, { content }) => sum + content.members.length, 0),
        acknowledge: (error: Error | null) => (error === null ? resolve() : reject(error)),
      };
      const refusal = this.failure ?? this.#overflow(submission);
      if (refusal !== null) return reject(refusal);
      this.#queue.add(submission);
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

  #overflow(submission: Submission): AuditUnavailableError | null {
    return this.#queue.hasCapacity(submission) ? null : queueFullError(this.#file.path, this.#queue.size);
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
    const error = this.#file.failure?.error ?? (await this.#write(group));
    if (error === null && (wasStuck || this.#queue.isStuck)) this.#options.auditLog.commitResumed(this.#file.path);
    this.#queue.settleGroup(error);
  }

  /** Sends a group through winston; resolves when the transport has settled it. */
  #write(prepared: readonly PreparedRecord[]): Promise<Error | null> {
    if (prepared.length === 0) return Promise.resolve(null);
    const records = chainGroup(prepared, this.#file.head, this.#options.key);
    this.#inFlight = { prepared, records };
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#logger.write(toGroupInfo(records));
    });
  }

  #onDurable(): void {
    this.#writtenAt = performance.now();
    const { usage, auditLog, copies, onCheckpoint } = this.#options;
    const { prepared, records } = this.#inFlight ?? { prepared: [], records: [] };
    for (const { counted } of prepared) usage.count(counted);
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

function chainGroup(
  prepared: readonly PreparedRecord[],
  head: AuditHead,
  key: AuditSigningKey,
): readonly ChainedRecord[] {
  let end = head;
  const records = prepared.map(({ content }) => {
    const record = chainContent(content, end);
    end = record.head;
    return record;
  });
  const last = records.pop();
  return last === undefined ? [] : [...records, signRecord(last, key)];
}

function prepare(entry: AuditEntry): PreparedRecord {
  const { event, time, outcome, platformId, accountId, algorithm } = entry;
  return { content: recordContent(entry), counted: { event, time, outcome, platformId, accountId, algorithm } };
}
