import type Transport from 'winston-transport';
import type { AuditCheckpoint, AuditEntry, AuditHead } from '../../../domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { JsonObject } from '../../../domain/model/json.ts';
import type { AuditSink } from '../../../ports/audit-sink.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { UsageLedger } from '../../../ports/usage-ledger.ts';
import { AuditFile } from '../file/audit-file.ts';
import { closedError, openError, probeTimeoutError, writeError } from '../file/audit-file-error.ts';
import { type FileOperations, nodeFileOperations } from '../file/file-operations.ts';
import type { ReachedRecord, RecordRange, UnsignedTail } from '../file/file-tail.ts';
import { openChain } from '../file/open-chain.ts';
import type { AuditWriterIdentity } from '../file/open-segment.ts';
import { AuditFileLog } from './audit-file-log.ts';
import { AuditWriter } from './audit-writer.ts';
import { RecordCopies } from './record-transports.ts';
import { type RotationLimits, RotationPolicy } from './rotation-policy.ts';
import { FRESH_MS, tryWriting, WriteProbe } from './write-probe.ts';

/** Options of {@link WinstonAuditSink}. */
export interface AuditSinkOptions {
  readonly file: string;
  readonly writer: AuditWriterIdentity;
  readonly log: ServiceLog;
  readonly usage: UsageLedger;
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
  readonly operations?: FileOperations;
  /**
   * Further winston transports, for example to another machine. Each gets every durable record, in
   * order, as an `info` with its line as text. Failures and drops are logged; only `close` waits
   * for them.
   */
  readonly transports?: readonly Transport[];
}

const DEFAULT_TIMEOUT_MS = 2000;
const DEFAULT_MAX_QUEUED_RECORDS = 100_000;
const DEFAULT_MAX_QUEUED_LENGTH = 96 * 1024 * 1024;
const NO_ROTATION: RotationLimits = { bytes: 0, hours: 0, files: 0 };

/** The AuditSink: a chain of JSON Lines, written through winston. */
export class WinstonAuditSink implements AuditSink {
  readonly facts: JsonObject;
  readonly #writer: AuditWriter;
  readonly #auditLog: AuditFileLog;
  readonly #probe: WriteProbe;
  readonly #onClosed: () => Promise<void>;
  #closing: Promise<void> | null = null;

  /**
   * Opens the file, without which the service does not start.
   * @throws AuditUnavailableError that names the file, SIGNING_AUDIT_FILE and what to do
   */
  static async open(options: AuditSinkOptions): Promise<WinstonAuditSink> {
    const {
      file,
      writer: identity,
      log,
      findReached = () => Promise.resolve(null),
      operations = nodeFileOperations,
    } = options;
    const auditLog = new AuditFileLog(log, identity.clock);
    const chain = await openChain({ file, writer: identity, findReached, operations });
    const { path } = chain;
    for (const tail of chain.unsignedTails) auditLog.unsigned(path, tail);
    if (chain.begun === 'missing') auditLog.missing(path);
    auditLog.opened(path, chain.segment.head.seq, identity.key.publicKey);
    const unlock = () => operations.close(chain.lock).catch((cause: unknown) => auditLog.closeFailed(path, cause));
    const copies = new RecordCopies(options.transports ?? [], auditLog);
    const auditFile = new AuditFile(chain, identity, operations, (first) => copies.send(first));
    if (chain.hasOtherKey)
      await auditFile.continueInNewFile('key').catch(async (cause: unknown) => {
        await auditFile.close().finally(unlock);
        throw openError(path, cause instanceof AuditUnavailableError ? (cause.cause ?? cause) : cause);
      });
    const writer = new AuditWriter({
      file: auditFile,
      key: identity.key,
      rotation: new RotationPolicy(options.rotation ?? NO_ROTATION, identity.clock),
      usage: options.usage,
      auditLog,
      copies,
      onNewFile: options.onNewFile ?? (() => Promise.resolve(true)),
      onCheckpoint: options.onCheckpoint ?? (() => undefined),
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxQueuedRecords: options.maxQueuedRecords ?? DEFAULT_MAX_QUEUED_RECORDS,
      maxQueuedLength: options.maxQueuedLength ?? DEFAULT_MAX_QUEUED_LENGTH,
    });
    const { onClosed } = options;
    const closed = async () => {
      try {
        auditLog.logCheckpoint();
        await onClosed?.(writer.isComplete);
      } finally {
        await unlock();
      }
    };
    return new WinstonAuditSink(writer, auditLog, createProbe(path, writer, operations), closed, {
      auditPublicKey: Buffer.from(identity.key.publicKey).toString('base64'),
      ...createFacts(chain.unsignedTails),
    });
  }

  private constructor(
    writer: AuditWriter,
    auditLog: AuditFileLog,
    probe: WriteProbe,
    onClosed: () => Promise<void>,
    facts: JsonObject,
  ) {
    this.facts = facts;
    this.#writer = writer;
    this.#auditLog = auditLog;
    this.#probe = probe;
    this.#onClosed = onClosed;
  }

  get available(): boolean {
    return this.#closing === null && this.#writer.failure === null;
  }

  async probe(): Promise<string | null> {
    const issue = this.#closing === null ? await this.#probe.check() : closedError();
    return issue?.message ?? null;
  }

  get head(): AuditHead {
    return this.#writer.head;
  }

  /** End offset of `head`, bytes. */
  get size(): number {
    return this.#writer.size;
  }

  get checkpoint(): AuditCheckpoint | null {
    return this.#auditLog.checkpoint;
  }

  get queued(): number {
    return this.#writer.queued;
  }

  append(...entries: readonly AuditEntry[]): Promise<void> {
    return this.#closing === null ? this.#writer.append(entries) : Promise.reject(closedError());
  }

  async reopen(): Promise<void> {
    if (this.#closing === null) await this.#writer.reopen();
  }

  close(): Promise<void> {
    this.#closing ??= this.#writer.close().then(this.#onClosed);
    return this.#closing;
  }
}

/** Facts for the start record: what was moved aside. */
function createFacts(unsignedTails: readonly UnsignedTail[]): JsonObject {
  const tornBytes = unsignedTails.reduce((sum, { bytes }) => sum + bytes, 0);
  const unsignedRecords = unsignedTails.reduce((sum, { records }) => sum + countRecords(records), 0);
  return { ...(tornBytes > 0 && { tornBytes }), ...(unsignedRecords > 0 && { unsignedRecords }) };
}

function countRecords(records: RecordRange | null): number {
  return records === null ? 0 : records.last - records.first + 1;
}

/** A record just made durable is as good as a probe. */
function createProbe(path: string, writer: AuditWriter, operations: FileOperations): WriteProbe {
  const accessDisk = async () => {
    if (writer.wroteWithin(FRESH_MS)) return null;
    await writer.check();
    if (writer.failure !== null) return writer.failure;
    return tryWriting(path, operations).then(
      () => null,
      (cause: unknown) => writeError(path, cause),
    );
  };
  return new WriteProbe({
    accessDisk,
    knownFailure: () => writer.failure,
    probeTimeoutError: (waitedMs) => probeTimeoutError(path, waitedMs),
  });
}
