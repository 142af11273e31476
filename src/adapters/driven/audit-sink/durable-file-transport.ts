import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogEntry } from 'winston';
import Transport from 'winston-transport';
import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { UsageLedger } from '../../../ports/usage-ledger.ts';
import type { AuditFile } from './audit-file.ts';
import { closedFault, overflowFault, stuckFault } from './audit-file-fault.ts';
import { AuditFileKeeper, type KeeperParts } from './audit-file-keeper.ts';
import { CHECKS_PER_TIMEOUT, type PendingRecord, type QueueLimits, RecordQueue } from './record-queue.ts';

/** Key under which records go through winston. */
export const PENDING = Symbol('pending records');

/** What the transport takes from winston. */
export interface DurableRecords extends LogEntry {
  [PENDING]: readonly PendingRecord[];
}

/** What the transport is made of. */
export interface DurableFileOptions extends QueueLimits, KeeperParts {
  readonly usage: Pick<UsageLedger, 'count'>;
  /** How long a record may wait to be durable before it is refused, milliseconds. */
  readonly timeoutMs: number;
  /** Called before a group is made: has winston send at once what is kept back for the end of the turn. */
  readonly gather: () => void;
}

/**
 * A winston transport for records that must survive: it appends them durably (a synchronous write), looks that the file is still in its place, and only then
 * acknowledges each. Every group ends with a signed checkpoint, so that what was acknowledged is
 * signed. Records that arrive while a group is being written make up the next group. After an error
 * every waiting and later record is refused until a new file could be begun. One task at a time has
 * the file.
 */
export class DurableFileTransport extends Transport {
  readonly #options: DurableFileOptions;
  readonly #file: AuditFile;
  readonly #keeper: AuditFileKeeper;
  readonly #queue: RecordQueue;
  readonly #tasks: (() => Promise<void>)[] = [];
  readonly #deadlineTimer: NodeJS.Timeout;
  #working: Promise<void> | null = null;
  #isComplete = false;
  #writtenAt = Number.NEGATIVE_INFINITY;

  constructor(options: DurableFileOptions) {
    super();
    this.#options = options;
    this.#file = options.file;
    this.#keeper = new AuditFileKeeper(options, (task) => void this.#do(task));
    this.#queue = new RecordQueue(options);
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

  /** Records that wait, with those that are being written. */
  get queued(): number {
    return this.#queue.size;
  }

  /** Null while records can be written; else why not. */
  get failure(): AuditUnavailableError | null {
    if (this.#file.damage !== null) return this.#file.damage.error;
    return this.#queue.isStuck ? stuckFault(this.#file.path, this.#options.timeoutMs) : null;
  }

  /** Whether a record became durable within the last so many milliseconds. */
  wroteWithin(milliseconds: number): boolean {
    return performance.now() - this.#writtenAt < milliseconds;
  }

  /** Whether the chain ends, for certain, with `head`: all is written, signed and closed. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Takes records from winston. `next` never gets an error: winston would detach the transport. */
  override log(entry: DurableRecords, next: () => void): void {
    this.#acceptAll(entry);
    next();
  }

  /** Takes several entries at once. */
  override logv(writes: readonly { readonly chunk: DurableRecords }[], next: () => void): void {
    for (const { chunk } of writes) this.#acceptAll(chunk);
    next();
  }

  /** An operator has moved the file, or knows of its damage. */
  reopen(): Promise<void> {
    return this.#do(() => this.#keeper.reopen());
  }

  /** Notices what another program did to the file, as before a record. Waits for what is being written. */
  look(): Promise<void> {
    return this.#do(() => this.#keeper.look());
  }

  /**
   * Called by the stream after its last record: waits until all is acknowledged, and closes the
   * file.
   */
  override async _final(done: () => void): Promise<void> {
    this.#keeper.stop();
    const { timeoutMs, notices } = this.#options;
    const { path } = this.#file;
    const closing = this.#do(() => this.#closeFile()).catch((cause: unknown) => notices.notClosed(path, cause));
    const isInTime = await Promise.race([closing.then(() => true), afterMs(timeoutMs)]);
    if (!isInTime) notices.notClosed(path, stuckFault(path, timeoutMs));
    this.#isComplete &&= isInTime;
    clearInterval(this.#deadlineTimer);
    this.#queue.refuseAll(closedFault());
    done();
  }

  async #closeFile(): Promise<void> {
    while (!this.#queue.isEmpty) await this.#commitQueue();
    this.#isComplete = this.#file.damage === null;
    await this.#file.close();
  }

  #acceptAll(entry: DurableRecords): void {
    for (const record of entry[PENDING]) this.#accept(record);
    this.#work();
  }

  #accept(record: PendingRecord): void {
    const refusal = this.failure ?? this.#overflow(record);
    if (refusal !== null) {
      record.acknowledge(refusal);
      return;
    }
    this.#queue.add(record);
  }

  #overflow(record: PendingRecord): AuditUnavailableError | null {
    return this.#queue.hasRoomFor(record) ? null : overflowFault(this.#file.path, this.#queue.size);
  }

  /** Has the file for itself when its turn comes. */
  #do(task: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#tasks.push(() => task().then(resolve, reject));
      this.#work();
    });
  }

  #work(): void {
    this.#working ??= this.#workThroughQueue();
  }

  async #workThroughQueue(): Promise<void> {
    // Not within the call that brought the work: `#working` has to be set by then.
    await null;
    while (this.#tasks.length > 0 || !this.#queue.isEmpty) {
      if (!this.#queue.isEmpty) await this.#commitQueue();
      await this.#tasks.shift()?.();
    }
    this.#working = null;
  }

  async #commitQueue(): Promise<void> {
    await this.#keeper.prepare();
    const wasStuck = this.#queue.isStuck;
    this.#options.gather();
    const group = this.#queue.takeGroup();
    const fault = this.#file.damage?.error ?? (await this.#writeGroup(group));
    if (fault === null && (wasStuck || this.#queue.isStuck)) this.#options.notices.unstuck(this.#file.path);
    this.#queue.answerGroup(fault);
  }

  async #writeGroup(group: readonly PendingRecord[]): Promise<AuditUnavailableError | null> {
    if (group.length === 0) return null;
    const draft = this.#file.draft();
    for (const { prepared } of group) draft.add(prepared);
    draft.sign();
    return this.#keeper.write(draft, () => {
      this.#writtenAt = performance.now();
      for (const { counted } of group) this.#options.usage.count(counted);
    });
  }

  /** What has waited too long is refused, whatever becomes of it on the disk. */
  async #refuseOverdue(): Promise<void> {
    if (!this.#queue.check()) return;
    // The disk's answers may wait behind this timer.
    await nextTurn();
    const fault = stuckFault(this.#file.path, this.#options.timeoutMs);
    const refused = this.#queue.refuseOverdue(fault);
    if (refused > 0) this.#options.notices.stuck(fault, refused);
  }
}

function afterMs(milliseconds: number): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), milliseconds).unref());
}
