import type { FileHandle } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'winston';
import type { AuditCheckpoint, AuditEntry, AuditHead, AuditRecord } from '../../../domain/model/audit-entry.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { JsonObject } from '../../../domain/model/json.ts';
import type { AuditSink } from '../../../ports/audit-sink.ts';
import type { Ports } from '../../../ports/ports.ts';
import { settleWithin } from '../../node/settle-within.ts';
import { recordContent } from '../record/signed-record.ts';
import {
  closedError,
  commitTimeoutError,
  openError,
  probeTimeoutError,
  queueFullError,
  writeError,
} from './audit-errors.ts';
import { AuditFileLog } from './audit-file-log.ts';
import type { UnsignedTail } from './chain-end.ts';
import { ChainWriter } from './chain-writer.ts';
import { type FileSystem, nodeFileSystem, tryWriting } from './file-system.ts';
import { type AuditWriterIdentity, type OpenedChain, openChain, type ReachedRecord } from './open-chain.ts';
import { CHECKS_PER_TIMEOUT, RecordQueue, type Submission } from './record-queue.ts';
import { type RotationLimits, RotationPolicy } from './rotation-policy.ts';

/** Options of {@link WinstonAuditSink}. */
export interface AuditSinkOptions extends Pick<Ports, 'log' | 'usage'> {
  readonly file: string;
  readonly writer: AuditWriterIdentity;
  /** Finds a record that the chain must reach. Called under the writer's lock. */
  readonly findReached?: () => Promise<ReachedRecord | null>;
  /** Time for a record to become durable, milliseconds. */
  readonly timeoutMs?: number;
  readonly rotation?: RotationLimits;
  /** Called after a new file began; never rejects. True allows pruning. */
  readonly onNewFile?: () => Promise<boolean>;
  /**
   * Called after the file is closed, under the writer's lock; `close` waits for it.
   * @param isComplete whether the chain is known to end with `head`
   */
  readonly onClosed?: (isComplete: boolean) => Promise<void>;
  /** Called with the checkpoint of each durable group; must not throw. */
  readonly onCheckpoint?: (checkpoint: AuditCheckpoint) => void;
  readonly maxQueuedRecords?: number;
  readonly maxQueuedLength?: number;
  readonly fileSystem?: FileSystem;
}

const DEFAULTS: Omit<Required<AuditSinkOptions>, 'file' | 'writer' | 'log' | 'usage'> = {
  findReached: () => Promise.resolve(null),
  timeoutMs: 2000,
  rotation: { bytes: 0, hours: 0, files: 0 },
  onNewFile: () => Promise.resolve(true),
  onClosed: () => Promise.resolve(),
  onCheckpoint: () => undefined,
  maxQueuedRecords: 100_000,
  maxQueuedLength: 96 * 1024 * 1024,
  fileSystem: nodeFileSystem,
};

/** How long the disk counts as it was found, milliseconds. */
const FRESH_MS = 250;
/** How long a probe waits for it; with {@link FRESH_MS} less than a second. Milliseconds. */
const PROBE_MS = 500;

/**
 * The AuditSink: a chain of JSON Lines, written through winston. `append` queues the records of a
 * request; `#commit` takes all that wait as one group, has them written, and acknowledges them once
 * they are durable. What arrives meanwhile forms the next group.
 */
export class WinstonAuditSink implements AuditSink {
  readonly facts: JsonObject;
  readonly #options: Required<AuditSinkOptions>;
  readonly #auditLog: AuditFileLog;
  readonly #lock: FileHandle;
  readonly #chain: ChainWriter;
  readonly #queue: RecordQueue;
  /** Runs while records wait. */
  #deadlineTimer: NodeJS.Timeout | undefined;
  #lastTask: Promise<void> = Promise.resolve();
  #isCommitting = false;
  /** When it was last written to, or why it could not be. Milliseconds. */
  #disk: { readonly at: number; readonly issue: AuditUnavailableError | null } = {
    at: Number.NEGATIVE_INFINITY,
    issue: null,
  };
  #accessing: Promise<AuditUnavailableError | null> | null = null;
  #closing: Promise<void> | null = null;

  /**
   * Opens the chain, without which the service does not start.
   * @throws AuditUnavailableError that names the file, SIGNING_AUDIT_FILE and what to do
   */
  static async open(given: AuditSinkOptions): Promise<WinstonAuditSink> {
    const options = { ...DEFAULTS, ...given };
    const auditLog = new AuditFileLog(options.log);
    const chain = await openChain(options);
    const sink = new WinstonAuditSink(options, chain, auditLog);
    auditLog.chainOpened(chain, options.writer.key.publicKey);
    try {
      await sink.#chain.open();
      return sink;
    } catch (error) {
      await sink.#closeChain();
      await sink.#unlock();
      throw openError(chain.segment.path, error);
    }
  }

  private constructor(options: Required<AuditSinkOptions>, chain: OpenedChain, auditLog: AuditFileLog) {
    const { writer, fileSystem, rotation, onNewFile } = options;
    this.#options = options;
    this.#auditLog = auditLog;
    this.#lock = chain.lock;
    this.#chain = new ChainWriter(
      {
        ...{ chain, writer, fileSystem, auditLog, onNewFile },
        rotation: new RotationPolicy(rotation, writer.clock),
        onDurable: (records, checkpoint) => this.#onDurable(records, checkpoint),
      },
      (task) => void this.#runExclusive(task),
    );
    this.#queue = new RecordQueue(options);
    this.facts = {
      auditPublicKey: Buffer.from(writer.key.publicKey).toString('base64'),
      ...createFacts(chain.unsignedTails),
    };
  }

  get available(): boolean {
    return this.#closing === null && this.#failure === null;
  }

  async probe(): Promise<string | null> {
    const known = this.#closing === null ? this.#issue : closedError();
    if (known !== null) return known.message;
    const { at, issue } = this.#disk;
    if (performance.now() - at < FRESH_MS) return issue?.message ?? null;
    this.#accessing ??= this.#accessDisk();
    const late = () => probeTimeoutError(this.#options.file, PROBE_MS);
    return (await settleWithin(PROBE_MS, this.#accessing, late))?.message ?? null;
  }

  get head(): AuditHead {
    return this.#chain.head;
  }

  /** See {@link ChainWriter.logger}. */
  get logger(): Logger {
    return this.#chain.logger;
  }

  get checkpoint(): AuditCheckpoint | null {
    return this.#auditLog.checkpoint;
  }

  get queued(): number {
    return this.#queue.size;
  }

  append(...entries: readonly AuditEntry[]): Promise<void> {
    return new Promise((resolve, reject) => {
      const records = entries.map((entry) => ({ entry, content: recordContent(entry) }));
      const submission = {
        records,
        length: records.reduce((sum, { content }) => sum + content.members.length, 0),
        acknowledge: (error: Error | null) => (error === null ? resolve() : reject(error)),
      };
      const refusal = this.#closing === null ? (this.#failure ?? this.#overflow(submission)) : closedError();
      if (refusal !== null) return reject(refusal);
      this.#queue.add(submission);
      const checkMs = this.#options.timeoutMs / CHECKS_PER_TIMEOUT;
      this.#deadlineTimer ??= setInterval(() => void this.#refuseOverdue(), checkMs).unref();
      void this.#commitAll();
    });
  }

  async reopen(): Promise<void> {
    if (this.#closing === null) await this.#runExclusive(() => this.#chain.reopen());
  }

  close(): Promise<void> {
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    const isComplete = await this.#closeChain();
    await this.#options.onClosed(isComplete).finally(() => this.#unlock());
  }

  /** Writes the queue and closes the chain, within the timeout. @returns whether it is complete */
  async #closeChain(): Promise<boolean> {
    const { path } = this.#chain;
    let isComplete = false;
    const closing = this.#runExclusive(async () => {
      while (!this.#queue.isEmpty) await this.#commit();
      isComplete = this.#chain.failure === null;
      await this.#chain.close();
    }).catch((cause: unknown) => this.#auditLog.closeFailed(path, cause));
    const late = () => this.#auditLog.closeFailed(path, commitTimeoutError(path, this.#options.timeoutMs));
    await settleWithin(this.#options.timeoutMs, closing, late);
    clearInterval(this.#deadlineTimer);
    this.#queue.refuseAll(closedError());
    return isComplete;
  }

  async #unlock(): Promise<void> {
    await this.#lock.close().catch((cause: unknown) => this.#auditLog.closeFailed(this.#options.file, cause));
  }

  /** Why entries cannot be written, or what another program did; null for neither. */
  get #issue(): AuditUnavailableError | null {
    return this.#failure ?? this.#chain.modification;
  }

  /** Why entries cannot be written; null while they can. */
  get #failure(): AuditUnavailableError | null {
    if (this.#chain.failure !== null) return this.#chain.failure;
    return this.#queue.isStuck ? commitTimeoutError(this.#chain.path, this.#options.timeoutMs) : null;
  }

  #overflow(submission: Submission): AuditUnavailableError | null {
    return this.#queue.hasCapacity(submission) ? null : queueFullError(this.#options.file, this.#queue.size);
  }

  /** Runs a task with exclusive use of the chain. */
  #runExclusive(task: () => Promise<void>): Promise<void> {
    const done = this.#lastTask.then(task);
    this.#lastTask = done.catch(() => undefined);
    return done;
  }

  /** Commits groups until the queue is empty; other tasks take their turns between them. */
  async #commitAll(): Promise<void> {
    if (this.#isCommitting) return;
    this.#isCommitting = true;
    while (!this.#queue.isEmpty && this.#closing === null) await this.#runExclusive(() => this.#commit());
    this.#isCommitting = false;
  }

  /** Takes a group from the queue, has it written, and acknowledges or refuses it. */
  async #commit(): Promise<void> {
    await this.#chain.rotateIfDue();
    const wasStuck = this.#queue.isStuck;
    const group = this.#queue.takeGroup();
    const error = await this.#chain.write(group).catch(toError);
    if (error === null && (wasStuck || this.#queue.isStuck)) this.#auditLog.commitResumed(this.#chain.path);
    this.#queue.settleGroup(error);
  }

  /** In the tick in which the head moves, so that head and usage counters always match. */
  #onDurable(records: readonly AuditRecord[], checkpoint: AuditCheckpoint): void {
    this.#disk = { at: performance.now(), issue: null };
    for (const record of records) this.#options.usage.count(record);
    this.#auditLog.signed(checkpoint);
    this.#options.onCheckpoint(checkpoint);
  }

  /** A timed-out record is refused even if it becomes durable later. */
  async #refuseOverdue(): Promise<void> {
    if (this.#queue.size === 0) {
      clearInterval(this.#deadlineTimer);
      this.#deadlineTimer = undefined;
    }
    if (!this.#queue.check()) return;
    // Completed I/O may be queued behind this timer.
    await nextTurn();
    const issue = commitTimeoutError(this.#chain.path, this.#options.timeoutMs);
    const refused = this.#queue.refuseOverdue(issue);
    if (refused > 0) this.#auditLog.commitTimedOut(issue, refused);
  }

  /** Why a record could not be written now, or null. Never rejects. */
  async #accessDisk(): Promise<AuditUnavailableError | null> {
    const { file, fileSystem } = this.#options;
    let issue: AuditUnavailableError | null = null;
    try {
      await this.#runExclusive(() => this.#chain.check());
      issue = this.#issue;
      if (issue === null) await tryWriting(file, fileSystem);
    } catch (cause) {
      issue = writeError(file, cause);
    }
    this.#disk = { at: performance.now(), issue };
    this.#accessing = null;
    return issue;
  }
}

function toError(cause: unknown): Error {
  return cause instanceof Error ? cause : new Error(String(cause));
}

/** Facts for the start record: what was moved aside. */
function createFacts(unsignedTails: readonly UnsignedTail[]): JsonObject {
  const tornBytes = unsignedTails.reduce((sum, { bytes }) => sum + bytes, 0);
  const unsignedRecords = unsignedTails.reduce((sum, { records }) => sum + records, 0);
  return { ...(tornBytes > 0 && { tornBytes }), ...(unsignedRecords > 0 && { unsignedRecords }) };
}
