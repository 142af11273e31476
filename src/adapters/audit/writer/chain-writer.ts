import { createLogger, format, type Logger } from 'winston';
import {
  type AuditCheckpoint,
  type AuditHead,
  type AuditRecord,
  NO_REQUEST,
} from '../../../domain/model/audit-entry.ts';
import type { AuditUnavailableError } from '../../../domain/model/errors.ts';
import { type SegmentReason, segmentData } from '../record/segment.ts';
import {
  type AuditSigningKey,
  type ChainedRecord,
  chainContent,
  recordContent,
  signRecord,
} from '../record/signed-record.ts';
import { MODIFICATIONS, type Modification, modificationError, writeError } from './audit-errors.ts';
import type { AuditFileLog } from './audit-file-log.ts';
import { linkCurrentName } from './current-name.ts';
import { assertDiskSpace, type FileSystem } from './file-system.ts';
import type { AuditWriterIdentity, OpenedChain } from './open-chain.ts';
import { OpenSegment } from './open-segment.ts';
import type { PreparedRecord } from './record-queue.ts';
import { type RecordInfo, RecordTransport, toInfo } from './record-transport.ts';
import { RetryTimer } from './retry-timer.ts';
import type { RotationPolicy } from './rotation-policy.ts';

/** Dependencies of the {@link ChainWriter}. */
interface ChainWriterOptions {
  readonly chain: OpenedChain;
  readonly writer: AuditWriterIdentity;
  readonly fileSystem: FileSystem;
  readonly rotation: RotationPolicy;
  readonly auditLog: AuditFileLog;
  /** Called after a segment began; never rejects. True allows pruning. */
  readonly onNewFile: () => Promise<boolean>;
  /** Called with the records of each durable group, in the tick in which `head` moves. */
  readonly onDurable: (records: readonly AuditRecord[], checkpoint: AuditCheckpoint) => void;
}

/** Why nothing can be written. */
interface WriteFailure {
  readonly error: AuditUnavailableError;
  /** Of the segment that ends this. */
  readonly reason: SegmentReason;
  /** Whether it ends only on an operator's order. */
  readonly needsOrder: boolean;
}

/** Leaves the finished line alone. */
const unchanged = format((info) => info);

/**
 * Writes a chain through winston into its open segment, and begins the next one when it is due, or
 * when that segment failed or is not what was written. Calls must not overlap.
 */
export class ChainWriter {
  /**
   * Winston's logger of the records, each as an `info` with its line as text. A transport that is
   * added must neither block nor throw: the audit file waits for it.
   */
  readonly logger: Logger;
  readonly #options: ChainWriterOptions;
  readonly #auditFile: string;
  readonly #transport = new RecordTransport();
  readonly #retry: RetryTimer;
  #segment: OpenSegment;
  #head: AuditHead;
  #failure: WriteFailure | null = null;
  #modification: AuditUnavailableError | null = null;

  /** @param retry runs the task later, while nothing else runs */
  constructor(options: ChainWriterOptions, retry: (task: () => Promise<void>) => void) {
    const { auditFile, segment, head } = options.chain;
    this.#options = options;
    this.#auditFile = auditFile;
    this.#segment = segment;
    this.#head = head;
    this.#retry = new RetryTimer(() => retry(() => this.#recover(false)));
    this.logger = createLogger({ level: 'info', format: unchanged(), transports: [this.#transport] });
  }

  /** The last durable record. */
  get head(): AuditHead {
    return this.#head;
  }

  /** Path of the open segment. */
  get path(): string {
    return this.#segment.path;
  }

  /** Why nothing can be written; null while it can. */
  get failure(): AuditUnavailableError | null {
    return this.#failure?.error ?? null;
  }

  /** What another program did since the last order of an operator; null for nothing. */
  get modification(): AuditUnavailableError | null {
    return this.#modification;
  }

  /**
   * Begins the first segment of a chain, or of its key, and gives the newest one its second name.
   * @throws the system's error
   */
  async open(): Promise<void> {
    const { begin, segment } = this.#options.chain;
    if (begin === null) return this.#linkCurrentName(segment);
    await this.#begin(begin, segment.size === 0 ? segment : await this.#createNext());
  }

  /** Begins the next segment if one is due. */
  async rotateIfDue(): Promise<void> {
    const due = this.#failure === null ? this.#options.rotation.dueReason(this.#segment, this.#head) : null;
    if (due !== null) await this.#rotate(due);
  }

  /**
   * Begins the next segment on an operator's order. Of a segment that has other content, the first
   * order reports it, and the next one accepts it.
   */
  async reopen(): Promise<void> {
    await (this.#failure === null ? this.#rotate('reopened') : this.#recover(true));
    if (this.#failure === null) this.#modification = null;
  }

  /** Finds what another program did to the segment. */
  async check(): Promise<void> {
    const modification = this.#failure === null ? this.#segment.check() : null;
    if (modification !== null) await this.#leave(modification);
  }

  /** Closes the segment, and saves it if it is gone. @throws the system's error */
  async close(): Promise<void> {
    this.#retry.stop();
    this.logger.end();
    await this.#segment.prepareToLeave().catch((cause: unknown) => {
      this.#options.auditLog.notSaved(this.#segment.path, cause);
    });
    await this.#segment.close();
  }

  /**
   * Chains records, signs the last one, and writes them.
   * @returns null once they are durable in a segment that is in place, else why they are not
   * @throws what signing or `onDurable` throws: the next group may succeed
   */
  async write(group: readonly PreparedRecord[]): Promise<AuditUnavailableError | null> {
    while (this.#failure === null && group.length > 0) {
      const records = chainGroup(group, this.#head, this.#options.writer.key);
      const modification = await this.#append(this.#segment, records).catch((cause: unknown) => {
        this.#failWriting(this.#segment.path, cause);
        return 'failed' as const;
      });
      if (modification === null) {
        this.#acknowledge(records);
        return null;
      }
      // Then the same group goes to the next segment, or is refused.
      if (modification !== 'failed') await this.#leave(modification);
    }
    return this.failure;
  }

  /** Passes records through winston to a segment. */
  #append(segment: OpenSegment, { infos }: ChainedGroup): Promise<Modification | null> {
    const appended = this.#transport.nextGroup(segment);
    for (const info of infos) this.logger.write(info);
    return appended;
  }

  #acknowledge({ infos, last: { head, checkpoint } }: ChainedGroup): void {
    this.#segment.acknowledge(this.#options.writer.clock.now());
    this.#head = head;
    if (checkpoint !== null) this.#options.onDurable(infos, checkpoint);
  }

  /**
   * Nothing more is acknowledged from the segment. If it is gone, the next one begins; if it has
   * other content, an operator decides.
   */
  async #leave(modification: Modification): Promise<void> {
    const { reason, signsOn } = MODIFICATIONS[modification];
    const error = modificationError(this.#segment.path, modification);
    this.#modification = error;
    this.#options.auditLog.failed(this.#segment.path, error);
    if (signsOn) await this.#advance({ error, reason, needsOrder: false });
    else this.#failure = { error, reason, needsOrder: true };
  }

  /** Refuses records until the next segment has begun. */
  #failWriting(path: string, cause: unknown): void {
    const error = writeError(path, cause);
    this.#failure = { error, reason: 'write-error', needsOrder: false };
    this.#options.auditLog.failed(path, error);
    this.#retry.schedule();
  }

  async #recover(isOrdered: boolean): Promise<void> {
    if (this.#failure !== null && (isOrdered || !this.#failure.needsOrder)) await this.#advance(this.#failure);
  }

  /** Begins the next segment after a failure, or refuses records until that is possible. */
  async #advance(failure: WriteFailure): Promise<void> {
    const { auditLog, fileSystem } = this.#options;
    const { path } = this.#segment;
    try {
      await assertDiskSpace(path, fileSystem);
      const found = failure.reason === 'write-error' ? this.#segment.check() : null;
      if (found !== null) return await this.#leave(found);
      await this.#beginNext(failure.reason, await this.#createNext());
      auditLog.recovered(this.#segment.path, failure.reason);
    } catch (cause) {
      // An order is carried out as soon as that is possible.
      this.#failure = { ...failure, needsOrder: false };
      auditLog.recoveryFailed(path, cause);
      this.#retry.schedule();
    }
  }

  /** A rotation that fails before the first record of the next segment costs nothing. */
  async #rotate(reason: SegmentReason): Promise<void> {
    const before = this.#segment;
    await this.check();
    // The next one has begun already if this one was moved or removed.
    if (this.#failure !== null || this.#segment !== before) return;
    const next = await this.#createNext().catch((cause: unknown) => {
      this.#options.rotation.postpone();
      this.#options.auditLog.rotationFailed(this.#segment.path, cause);
      return null;
    });
    if (next === null) return;
    try {
      await this.#beginNext(reason, next);
    } catch (cause) {
      this.#failWriting(next.path, cause);
    }
  }

  async #createNext(): Promise<OpenSegment> {
    const { auditLog, fileSystem } = this.#options;
    await this.#segment.prepareToLeave();
    const access = await this.#segment.access();
    return OpenSegment.create(this.#auditFile, this.#head, access, (name) => auditLog.nameTaken(name), fileSystem);
  }

  /**
   * Begins a segment by its first record, and leaves the one before.
   * @throws when that record is not durable; the segment before is still the open one
   */
  async #begin(reason: SegmentReason, next: OpenSegment): Promise<void> {
    const { writer } = this.#options;
    const before = this.#segment;
    let records: ChainedGroup;
    try {
      records = chainGroup([segmentRecord(reason, writer)], this.#head, writer.key);
      const modification = await this.#append(next, records);
      if (modification !== null) throw modificationError(next.path, modification);
    } catch (error) {
      if (next !== before) await next.discard();
      throw error;
    }
    this.#segment = next;
    this.#failure = null;
    this.#acknowledge(records);
    if (next !== before) await before.close().catch(() => undefined);
    await this.#linkCurrentName(before);
  }

  /** While serving; see `#begin`. */
  async #beginNext(reason: SegmentReason, next: OpenSegment): Promise<void> {
    const lastRecord = this.#head.seq;
    await this.#begin(reason, next);
    this.#options.auditLog.newFile(next.path, reason, lastRecord);
    void this.#pruneOnceSaved();
  }

  /** Only readers use the audit file's name, so signing goes on without it. */
  async #linkCurrentName(before: OpenSegment): Promise<void> {
    try {
      await linkCurrentName(this.#auditFile, this.#segment, before, this.#options.fileSystem);
    } catch (cause) {
      this.#options.auditLog.currentNameFailed(this.#auditFile, this.#segment.path, cause);
    }
  }

  /** Segments are deleted only after their usage counters are saved elsewhere. */
  async #pruneOnceSaved(): Promise<void> {
    const { rotation, auditLog, onNewFile } = this.#options;
    if (await onNewFile()) await rotation.prune(this.#auditFile, this.#segment, auditLog);
  }
}

/** A group in its place in the chain. */
interface ChainedGroup {
  readonly infos: readonly RecordInfo[];
  /** The last record, which is signed. */
  readonly last: ChainedRecord;
}

/** Chains records to `head`, and signs the last one. @param group at least one */
function chainGroup(group: readonly PreparedRecord[], head: AuditHead, key: AuditSigningKey): ChainedGroup {
  let before = head;
  let last: ChainedRecord | null = null;
  const infos: RecordInfo[] = [];
  for (const [index, { entry, content }] of group.entries()) {
    const unsigned = chainContent(content, before);
    last = index === group.length - 1 ? signRecord(unsigned, key) : unsigned;
    infos.push(toInfo(entry, last, before.hash));
    before = last.head;
  }
  if (last === null) throw new RangeError('A group has at least one record.');
  return { infos, last };
}

/** The first record of a segment. */
function segmentRecord(reason: SegmentReason, { key, instanceId, clock }: AuditWriterIdentity): PreparedRecord {
  const time = new Date(clock.now()).toISOString();
  const data = segmentData(reason, key.publicKey);
  const entry = { ...NO_REQUEST, time, event: 'segment', outcome: 'success', data, instanceId } as const;
  return { entry, content: recordContent(entry) };
}
