import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogEntry } from 'winston';
import Transport from 'winston-transport';
import type { ChainHead } from '../../../audit-trail/audit-record.ts';
import { CHECKPOINT_MS } from '../../../audit-trail/checkpoint-schedule.ts';
import type { SegmentReason } from '../../../audit-trail/segment.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { UsageLedger } from '../../../ports/usage-ledger.ts';
import type { AuditFile } from './audit-file.ts';
import { closedFault, overflowFault, stuckFault } from './audit-file-fault.ts';
import type { AuditNotices } from './audit-notices.ts';
import type { ChainDraft } from './chain-writer.ts';
import { CHECKS_PER_TIMEOUT, type PendingRecord, type QueueLimits, RecordQueue } from './record-queue.ts';
import { RetryTimer } from './retry-timer.ts';
import type { RotationPolicy } from './rotation-policy.ts';

/** Key under which a record goes through winston. */
export const PENDING = Symbol('pending record');

/** What the transport takes from winston. */
export interface DurableRecord extends LogEntry {
  [PENDING]: PendingRecord;
}

/** What the transport is made of. */
export interface DurableFileOptions extends QueueLimits {
  readonly file: AuditFile;
  readonly rotation: RotationPolicy;
  readonly usage: Pick<UsageLedger, 'count'>;
  readonly notices: AuditNotices;
  /** Called when a new file was begun; never rejects. Older files are deleted only when it resolves to true. */
  readonly onNewFile: () => Promise<boolean>;
  /** How long a record may wait to be durable before it is refused, milliseconds. */
  readonly timeoutMs: number;
}

/** How long a look at the file's place is good for: while many records come, each group's own look is enough. Milliseconds. */
const LOOK_MS = 20;

/**
 * A winston transport for records that must survive: it appends, syncs (fdatasync), looks that the file is still in its place, and only then
 * acknowledges each. Records that arrive while a group is being synced make up the next group. After an error every waiting and later record is refused
 * until a new file could be begun. One task at a time has the file.
 */
export class DurableFileTransport extends Transport {
  readonly #options: DurableFileOptions;
  readonly #file: AuditFile;
  readonly #queue: RecordQueue;
  readonly #tasks: (() => Promise<void>)[] = [];
  #working: Promise<void> | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #isClosing = false;
  #isComplete = false;
  readonly #retry = new RetryTimer(() => void this.#do(() => this.#recover(false)));
  #checkpointTimer: NodeJS.Timeout | undefined;
  readonly #deadlineTimer: NodeJS.Timeout;

  constructor(options: DurableFileOptions) {
    super();
    this.#options = options;
    this.#file = options.file;
    this.#queue = new RecordQueue(options);
    this.#deadlineTimer = setInterval(() => void this.#refuseOverdue(), options.timeoutMs / CHECKS_PER_TIMEOUT).unref();
    this.#scheduleCheckpoint();
  }

  /** The last durable record. */
  get head(): ChainHead {
    return this.#file.end.head;
  }

  /** Null while records can be written; else why not. */
  get failure(): AuditUnavailableError | null {
    if (this.#file.damage !== null) return this.#file.damage.error;
    return this.#queue.isStuck ? stuckFault(this.#file.path, this.#options.timeoutMs) : null;
  }

  /** Takes one record from winston. `next` never gets an error: winston would detach the transport. */
  override log(record: DurableRecord, next: () => void): void {
    this.#accept(record[PENDING]);
    next();
  }

  /** Takes several at once. */
  override logv(writes: readonly { readonly chunk: DurableRecord }[], next: () => void): void {
    for (const { chunk } of writes) this.#accept(chunk[PENDING]);
    next();
  }

  /** An operator has moved the file, or knows of its damage. */
  reopen(): Promise<void> {
    return this.#do(async () => {
      if (this.#file.damage !== null) return this.#recover(true);
      await this.#lookAround();
    });
  }

  /** Whether the chain ends, for certain, with `head`: all is written, signed and closed. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /** Called by the stream after its last record: waits until all is acknowledged, signs what was written, and closes the file. */
  override async _final(done: () => void): Promise<void> {
    this.#isClosing = true;
    this.#retry.stop();
    clearTimeout(this.#checkpointTimer);
    const { timeoutMs, notices } = this.#options;
    const closing = this.#do(async () => {
      while (!this.#queue.isEmpty) await this.#commitQueue();
      await this.#checkpoint();
      this.#isComplete = this.#file.damage === null;
      await this.#file.close();
    }).catch((cause: unknown) => notices.notClosed(this.#file.path, cause));
    const isInTime = await Promise.race([closing.then(() => true), afterMs(timeoutMs)]);
    if (!isInTime) notices.notClosed(this.#file.path, stuckFault(this.#file.path, timeoutMs));
    this.#isComplete &&= isInTime;
    clearInterval(this.#deadlineTimer);
    this.#queue.refuseAll(closedFault());
    done();
  }

  #accept(record: PendingRecord): void {
    const refusal = this.failure ?? this.#overflow(record);
    if (refusal !== null) {
      record.acknowledge(refusal);
      return;
    }
    this.#queue.add(record);
    this.#work();
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
    // Records that arrive in the same turn of the event loop share the first group.
    await nextTurn();
    while (this.#tasks.length > 0 || !this.#queue.isEmpty) {
      if (!this.#queue.isEmpty) await this.#commitQueue();
      await this.#tasks.shift()?.();
    }
    this.#working = null;
  }

  async #commitQueue(): Promise<void> {
    await this.#prepareFile();
    const wasStuck = this.#queue.isStuck;
    const group = this.#queue.takeGroup();
    const fault = this.#file.damage?.error ?? (await this.#writeGroup(group));
    if (fault === null && (wasStuck || this.#queue.isStuck)) this.#options.notices.unstuck(this.#file.path);
    this.#queue.answerGroup(fault);
  }

  async #writeGroup(group: readonly PendingRecord[]): Promise<AuditUnavailableError | null> {
    if (group.length === 0) return null;
    const draft = this.#file.draft();
    for (const { prepared } of group) draft.add(prepared);
    return this.#write(draft, () => {
      for (const { counted } of group) this.#options.usage.count(counted);
    });
  }

  /** The file is looked at before anything is added, so that what another program did to it concerns no record that comes now. */
  async #prepareFile(): Promise<void> {
    if (this.#file.damage !== null) return;
    if (performance.now() - this.#lookedAt > LOOK_MS) await this.#lookAround();
    const reason = this.#file.damage === null ? this.#options.rotation.dueReason(this.#file) : null;
    if (reason !== null) await this.#rotate(reason);
  }

  async #lookAround(): Promise<void> {
    this.#lookedAt = performance.now();
    try {
      if ((await this.#file.look()) === 'moved') await this.#rotate('reopened');
    } catch {
      this.#startRecovery();
      // What another program did can often be mended at once, before anything is refused.
      if (this.#file.damage?.kind !== 'write-error') await this.#recover(false);
    }
  }

  /** Null when the lines are durable, else why not. */
  async #write(draft: ChainDraft, onDurable: () => void): Promise<AuditUnavailableError | null> {
    try {
      const place = await this.#file.write(draft, onDurable);
      this.#lookedAt = place === 'in place' ? performance.now() : Number.NEGATIVE_INFINITY;
      if (draft.note !== null) this.#options.notices.checkpoint(draft.note);
      this.#scheduleCheckpoint();
      return null;
    } catch (error) {
      this.#startRecovery();
      return error as AuditUnavailableError;
    }
  }

  /** Signs what was written, where that is new. */
  async #checkpoint(): Promise<void> {
    if (this.#file.damage !== null || this.#file.end.schedule.uncovered === 0) return;
    try {
      await this.#file.look();
    } catch {
      return this.#startRecovery();
    }
    const draft = this.#file.draft();
    draft.addCheckpoint();
    await this.#write(draft, () => undefined);
  }

  #scheduleCheckpoint(): void {
    if (this.#isClosing || this.#checkpointTimer !== undefined || this.#file.end.schedule.uncovered === 0) return;
    this.#checkpointTimer = setTimeout(() => {
      this.#checkpointTimer = undefined;
      void this.#do(() => this.#checkpoint());
    }, CHECKPOINT_MS).unref();
  }

  async #rotate(reason: SegmentReason): Promise<void> {
    const { notices, rotation } = this.#options;
    // What another key signed can't be signed with this one in the same file, and what was moved away is left as it is.
    if (reason === 'size' || reason === 'age') await this.#checkpoint();
    if (this.#file.damage !== null) return;
    const from = this.head.seq;
    try {
      await this.#file.continueInNewFile(reason);
      notices.newFile(this.#file.path, reason, from);
      this.#scheduleCheckpoint();
      void this.#pruneOnceSaved();
    } catch (cause) {
      if (this.#file.damage !== null) return this.#startRecovery();
      rotation.postpone();
      notices.notRotated(this.#file.path, cause);
    }
  }

  /** Files are deleted only when what they say of usage is saved elsewhere. */
  async #pruneOnceSaved(): Promise<void> {
    const { rotation, notices, onNewFile } = this.#options;
    if (await onNewFile()) await rotation.prune(this.#file.path, notices);
  }

  /** Records are refused from now on, until an attempt succeeds. */
  #startRecovery(): void {
    const { damage } = this.#file;
    if (damage === null) return;
    this.#options.notices.damaged(this.#file.path, damage.error);
    this.#retry.begin();
  }

  async #recover(isOrdered: boolean): Promise<void> {
    const { damage, path } = this.#file;
    if (damage === null) return;
    const { notices } = this.#options;
    try {
      if (!(await this.#file.recover(isOrdered))) {
        notices.damaged(path, this.#file.damage?.error ?? damage.error);
        return this.#retry.later();
      }
      this.#retry.cancel();
      notices.recovered(path, damage.kind);
      void this.#options.onNewFile();
      this.#lookedAt = performance.now();
      this.#scheduleCheckpoint();
    } catch (cause) {
      notices.notRecovered(path, cause);
      this.#retry.later();
    }
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
