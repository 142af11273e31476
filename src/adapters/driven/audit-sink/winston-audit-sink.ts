import type Transport from 'winston-transport';
import type { AuditEntry } from '../../../domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { JsonObject } from '../../../domain/model/json.ts';
import type { AuditCheckpoint, AuditHead, AuditSink } from '../../../ports/audit-sink.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { UsageLedger } from '../../../ports/usage-ledger.ts';
import { AuditFile } from './audit-file.ts';
import { closedFault, hungFault, openFault, writeFault } from './audit-file-fault.ts';
import { AuditNotices } from './audit-notices.ts';
import { AuditWriter } from './audit-writer.ts';
import type { ReachedRecord, RecordRange } from './chain-end.ts';
import { type FileOperations, nodeFileOperations } from './file-operations.ts';
import { openChain } from './open-chain.ts';
import type { AuditWriterIdentity } from './open-segment.ts';
import { RecordCopies } from './record-copies.ts';
import { type RotationLimits, RotationPolicy } from './rotation-policy.ts';
import type { UnsignedTail } from './torn-tail.ts';
import { FRESH_MS, tryWriting, WriteProbe } from './write-probe.ts';

/** What the sink is made of. */
export interface AuditSinkOptions {
  readonly file: string;
  readonly writer: AuditWriterIdentity;
  readonly log: ServiceLog;
  readonly usage: UsageLedger;
  /**
   * Finds the record that is known to have been written, if any: the chain has to reach it. Called
   * when no other process is the writer any more.
   */
  readonly findReached?: () => Promise<ReachedRecord | null>;
  /** How long a record may wait to be durable, milliseconds. */
  readonly timeoutMs?: number;
  readonly rotation?: RotationLimits;
  /**
   * Called when a new file was begun; never rejects. Older files are deleted only when it resolves
   * to true.
   */
  readonly onNewFile?: () => Promise<boolean>;
  /**
   * Called when the file was closed; `close` waits for it. Until it has settled, this process
   * stays the one writer.
   * @param isComplete whether the chain ends, for certain, with the sink's `head`
   */
  readonly onClosed?: (isComplete: boolean) => Promise<void>;
  readonly maxQueuedRecords?: number;
  readonly maxQueuedLength?: number;
  readonly operations?: FileOperations;
  /**
   * Further winston transports, for example a second place on another machine. Each gets every
   * record that this process makes durable, in order, as an `info` whose fields are the record and
   * whose text is its line. One that fails is logged; one that is too slow misses records, which is
   * logged, too. Signing does not wait for them; `close` does, as long as a record may wait.
   */
  readonly transports?: readonly Transport[];
}

const DEFAULT_TIMEOUT_MS = 2000;
const DEFAULT_MAX_QUEUED_RECORDS = 100_000;
const DEFAULT_MAX_QUEUED_LENGTH = 64 * 1024 * 1024;
const NO_ROTATION: RotationLimits = { bytes: 0, hours: 0, files: 0 };

/** Audit entries as a chain of JSON Lines in a file, through winston. */
export class WinstonAuditSink implements AuditSink {
  readonly facts: JsonObject;
  readonly #writer: AuditWriter;
  readonly #notices: AuditNotices;
  readonly #probe: WriteProbe;
  readonly #onClosed: () => Promise<void>;
  #closing: Promise<void> | null = null;

  /**
   * Opens the file at once, so that a service whose records could not be kept does not start.
   * @throws AuditUnavailableError that names the file, SIGNING_AUDIT_FILE and what to do.
   */
  static async open(options: AuditSinkOptions): Promise<WinstonAuditSink> {
    const { file, writer: identity, log, findReached = knowNone, operations = nodeFileOperations } = options;
    const notices = new AuditNotices(log, identity.clock);
    const chain = await openChain({ file, writer: identity, findReached, operations });
    const { path } = chain;
    for (const tail of chain.setAside) notices.unsigned(path, tail);
    if (chain.begun === 'missing') notices.missing(path);
    notices.opened(path, chain.segment.head.seq, identity.key.publicKey);
    const unlock = () => operations.close(chain.lock).catch((cause: unknown) => notices.notClosed(path, cause));
    const copies = new RecordCopies(options.transports ?? [], notices);
    const auditFile = new AuditFile(chain, identity, operations, (first) => copies.send(first));
    if (chain.hasOtherKey)
      await auditFile.continueInNewFile('key').catch(async (cause: unknown) => {
        await auditFile.close().finally(unlock);
        throw openFault(path, cause instanceof AuditUnavailableError ? (cause.cause ?? cause) : cause);
      });
    const writer = new AuditWriter({
      file: auditFile,
      key: identity.key,
      rotation: new RotationPolicy(options.rotation ?? NO_ROTATION, identity.clock),
      usage: options.usage,
      notices,
      copies,
      onNewFile: options.onNewFile ?? (() => Promise.resolve(true)),
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxQueuedRecords: options.maxQueuedRecords ?? DEFAULT_MAX_QUEUED_RECORDS,
      maxQueuedLength: options.maxQueuedLength ?? DEFAULT_MAX_QUEUED_LENGTH,
    });
    const { onClosed } = options;
    const closed = async () => {
      try {
        notices.logCheckpoint();
        await onClosed?.(writer.isComplete);
      } finally {
        await unlock();
      }
    };
    return new WinstonAuditSink(writer, notices, createProbe(path, writer, operations), closed, {
      auditPublicKey: Buffer.from(identity.key.publicKey).toString('base64'),
      ...factsOf(chain.setAside),
    });
  }

  private constructor(
    writer: AuditWriter,
    notices: AuditNotices,
    probe: WriteProbe,
    onClosed: () => Promise<void>,
    facts: JsonObject,
  ) {
    this.facts = facts;
    this.#writer = writer;
    this.#notices = notices;
    this.#probe = probe;
    this.#onClosed = onClosed;
  }

  get available(): boolean {
    return this.#closing === null && this.#writer.failure === null;
  }

  async probe(): Promise<string | null> {
    const fault = this.#closing === null ? await this.#probe.ask() : closedFault();
    return fault?.message ?? null;
  }

  get head(): AuditHead {
    return this.#writer.head;
  }

  /** Offset behind the head in the audit file, bytes. */
  get size(): number {
    return this.#writer.size;
  }

  get checkpoint(): AuditCheckpoint | null {
    return this.#notices.checkpoint;
  }

  get queued(): number {
    return this.#writer.queued;
  }

  append(entry: AuditEntry): Promise<void> {
    return this.#closing === null ? this.#writer.append(entry) : Promise.reject(closedFault());
  }

  async reopen(): Promise<void> {
    if (this.#closing === null) await this.#writer.reopen();
  }

  close(): Promise<void> {
    this.#closing ??= this.#writer.close().then(this.#onClosed);
    return this.#closing;
  }
}

function knowNone(): Promise<null> {
  return Promise.resolve(null);
}

/** For the record of the start: what was moved aside. */
function factsOf(setAside: readonly UnsignedTail[]): JsonObject {
  const tornBytes = setAside.reduce((sum, { bytes }) => sum + bytes, 0);
  const unsignedRecords = setAside.reduce((sum, { records }) => sum + countOf(records), 0);
  return { ...(tornBytes > 0 && { tornBytes }), ...(unsignedRecords > 0 && { unsignedRecords }) };
}

function countOf(records: RecordRange | null): number {
  return records === null ? 0 : records.last - records.first + 1;
}

/** A record that has just become durable says as much as a probe. */
function createProbe(path: string, writer: AuditWriter, operations: FileOperations): WriteProbe {
  const askDisk = async () => {
    if (writer.wroteWithin(FRESH_MS)) return null;
    await writer.check();
    if (writer.failure !== null) return writer.failure;
    return tryWriting(path, operations).then(
      () => null,
      (cause: unknown) => writeFault(path, cause),
    );
  };
  return new WriteProbe({
    askDisk,
    knownFault: () => writer.failure,
    hungFault: (waitedMs) => hungFault(path, waitedMs),
  });
}
