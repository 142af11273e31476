import { createLogger, format, type Logger } from 'winston';
import { readCheckpoint } from '../../../audit-trail/checkpoint-note.ts';
import { prepareRecord } from '../../../audit-trail/prepared-record.ts';
import type { AuditEntry } from '../../../domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { JsonObject } from '../../../domain/model/json.ts';
import type { AuditCheckpoint, AuditHead, AuditSink } from '../../../ports/audit-sink.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { CountedRecord, UsageLedger } from '../../../ports/usage-ledger.ts';
import { Arrivals } from './arrivals.ts';
import { AuditFile } from './audit-file.ts';
import { closedFault, hungFault, openFault, writeFault } from './audit-file-fault.ts';
import { AuditNotices } from './audit-notices.ts';
import type { ReachedRecord, RecordRange } from './chain-end.ts';
import type { Scribe } from './chain-writer.ts';
import { DurableFileTransport, type DurableRecords, PENDING } from './durable-file-transport.ts';
import { type FileOperations, nodeFileOperations } from './file-operations.ts';
import { openChain } from './open-chain.ts';
import { type RotationLimits, RotationPolicy } from './rotation-policy.ts';
import type { UnsignedTail } from './torn-tail.ts';
import { FRESH_MS, tryWriting, WriteProbe } from './write-probe.ts';

/** What the sink is made of. */
export interface AuditSinkOptions {
  readonly file: string;
  readonly scribe: Scribe;
  readonly log: ServiceLog;
  readonly usage: Pick<UsageLedger, 'count'>;
  /**
   * Finds the record that is known to have been written, if any: the chain has to reach it. Called
   * when no other process is the writer any more.
   */
  readonly findReached?: () => Promise<ReachedRecord | null>;
  /** How long a record may wait to be durable, milliseconds. */
  readonly timeoutMs?: number;
  readonly rotation?: RotationLimits;
  /** Called when a new file was begun; never rejects. Older files are deleted only when it resolves to true. */
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
}

const DEFAULT_TIMEOUT_MS = 2000;
const DEFAULT_MAX_QUEUED_RECORDS = 100_000;
const DEFAULT_MAX_QUEUED_LENGTH = 64 * 1024 * 1024;
const NO_ROTATION: RotationLimits = { bytes: 0, hours: 0, files: 0 };

/** The line is made apart, since its hash depends on its place; winston's formats merge and replace fields. */
const unchanged = format((info) => info);

/** The way of a record, in this order: what came in a turn, winston, the file. */
interface Pipeline {
  readonly arrivals: Arrivals;
  readonly logger: Logger;
  readonly transport: DurableFileTransport;
  readonly notices: AuditNotices;
}

/** Audit entries as a chain of JSON Lines in a file, through a winston logger with one durable transport. */
export class WinstonAuditSink implements AuditSink {
  readonly facts: JsonObject;
  readonly #arrivals: Arrivals;
  readonly #transport: DurableFileTransport;
  readonly #notices: AuditNotices;
  readonly #probe: WriteProbe;
  readonly #logger: Logger;
  readonly #onClosed: () => Promise<void>;
  #closing: Promise<void> | null = null;

  /**
   * Opens the file at once, so that a service whose records could not be kept does not start.
   * @throws AuditUnavailableError that names the file, SIGNING_AUDIT_FILE and what to do.
   */
  static async open(options: AuditSinkOptions): Promise<WinstonAuditSink> {
    const { file, scribe, log, findReached = knowNone, operations = nodeFileOperations } = options;
    const notices = new AuditNotices(log, scribe.clock);
    const chain = await openChain({ file, scribe, findReached, operations });
    const { path } = chain;
    for (const tail of chain.setAside) notices.unsigned(path, tail);
    if (chain.begun === 'missing') notices.missing(path);
    notices.opened(path, chain.segment.head.seq, scribe.key.publicKey);
    const unlock = () => operations.close(chain.lock).catch((cause: unknown) => notices.notClosed(path, cause));
    const auditFile = new AuditFile(chain, scribe, operations);
    if (chain.hasOtherKey)
      await auditFile.continueInNewFile('key').catch(async (cause: unknown) => {
        await auditFile.close().finally(unlock);
        throw openFault(path, cause instanceof AuditUnavailableError ? (cause.cause ?? cause) : cause);
      });
    const arrivals = new Arrivals((records) => {
      const sent: DurableRecords = { level: 'info', message: '', [PENDING]: records };
      logger.log(sent);
    });
    const transport = new DurableFileTransport({
      file: auditFile,
      rotation: new RotationPolicy(options.rotation ?? NO_ROTATION, scribe.clock),
      usage: options.usage,
      notices,
      onNewFile: options.onNewFile ?? (() => Promise.resolve(true)),
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxQueuedRecords: options.maxQueuedRecords ?? DEFAULT_MAX_QUEUED_RECORDS,
      maxQueuedLength: options.maxQueuedLength ?? DEFAULT_MAX_QUEUED_LENGTH,
      gather: () => arrivals.handOver(),
    });
    const logger = createLogger({ level: 'info', format: unchanged(), transports: [transport] });
    const { onClosed } = options;
    const closed = async () => {
      try {
        notices.lastCheckpoint();
        await onClosed?.(transport.isComplete);
      } finally {
        await unlock();
      }
    };
    const probe = probeOf(path, transport, operations);
    return new WinstonAuditSink({ transport, arrivals, logger, notices }, probe, closed, {
      auditPublicKey: Buffer.from(scribe.key.publicKey).toString('base64'),
      ...factsOf(chain.setAside),
    });
  }

  private constructor(
    { transport, arrivals, logger, notices }: Pipeline,
    probe: WriteProbe,
    onClosed: () => Promise<void>,
    facts: JsonObject,
  ) {
    this.facts = facts;
    this.#probe = probe;
    this.#onClosed = onClosed;
    this.#transport = transport;
    this.#notices = notices;
    this.#arrivals = arrivals;
    this.#logger = logger;
  }

  get available(): boolean {
    return this.#closing === null && this.#transport.failure === null;
  }

  async probe(): Promise<string | null> {
    const fault = this.#closing === null ? await this.#probe.ask() : closedFault();
    return fault?.message ?? null;
  }

  get head(): AuditHead {
    return this.#transport.head;
  }

  /** Offset behind the head in the audit file, bytes. */
  get size(): number {
    return this.#transport.size;
  }

  get checkpoint(): AuditCheckpoint | null {
    const note = this.#notices.newestCheckpoint;
    const read = note === null ? null : readCheckpoint(note);
    if (note === null || read === null) return null;
    const { seq, hash, time } = read;
    return { seq, hash, time, note };
  }

  get queued(): number {
    return this.#arrivals.size + this.#transport.queued;
  }

  append(entry: AuditEntry): Promise<void> {
    if (this.#closing !== null) return Promise.reject(closedFault());
    const prepared = prepareRecord(entry);
    const counted = countedPartOf(entry);
    return new Promise((resolve, reject) => {
      this.#arrivals.add({
        prepared,
        counted,
        acknowledge: (error) => (error === null ? resolve() : reject(error)),
      });
    });
  }

  async reopen(): Promise<void> {
    if (this.#closing === null) await this.#transport.reopen();
  }

  close(): Promise<void> {
    this.#closing ??= new Promise<void>((resolve) => {
      this.#arrivals.handOver();
      this.#logger.once('finish', resolve);
      this.#logger.end();
    }).then(this.#onClosed);
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

/** A record that was just made durable is answer enough. */
function probeOf(path: string, transport: DurableFileTransport, operations: FileOperations): WriteProbe {
  const askDisk = async () => {
    if (transport.wroteWithin(FRESH_MS)) return null;
    await transport.look();
    if (transport.failure !== null) return transport.failure;
    return tryWriting(path, operations).then(
      () => null,
      (cause: unknown) => writeFault(path, cause),
    );
  };
  return new WriteProbe({
    askDisk,
    knownFault: () => transport.failure,
    hungFault: (waitedMs) => hungFault(path, waitedMs),
  });
}

/** The rest of an entry need not be kept until its record is durable. */
function countedPartOf({ event, time, outcome, platformId, accountId, algorithm }: AuditEntry): CountedRecord {
  return { event, time, outcome, platformId, accountId, algorithm };
}
