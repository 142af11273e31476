import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogEntry } from 'winston';
import Transport from 'winston-transport';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { tamperedFault, writeFault } from './audit-file-fault.ts';
import { type FileOperations, nodeFileOperations } from './file-operations.ts';
import { writeFully } from './full-transfer.ts';
import { type DurableFile, openDurableFile } from './open-durable-file.ts';

/** Key of a record's acknowledgement: called once, with null when the record is durable, else with why it is not on the file. */
export const ACKNOWLEDGE = Symbol('acknowledge');

/** What the transport takes from winston. */
export interface DurableRecord extends LogEntry {
  /** The line to write, without its newline. Nothing else of the record reaches the file. */
  message: string;
  [ACKNOWLEDGE]: (error: AuditUnavailableError | null) => void;
}

/** Where the records go, and how many may wait. */
export interface DurableFileOptions {
  readonly file: string;
  readonly log: ServiceLog;
  /** Records that may be unacknowledged at once; the next is refused. */
  readonly maxQueuedRecords?: number;
  /** The same in UTF-16 units of their lines, which bounds the memory that they take. */
  readonly maxQueuedLength?: number;
  readonly operations?: FileOperations;
}

const DEFAULT_MAX_QUEUED_RECORDS = 100_000;
const DEFAULT_MAX_QUEUED_LENGTH = 64 * 1024 * 1024;

/**
 * A winston transport for lines that must survive: it appends, syncs (fdatasync), looks that the file is still in its place, and only then
 * acknowledges each. Lines that arrive while
 * a group is being synced make up the next group. An error is latched: the file is cut back to what was acknowledged, and every waiting and
 * later record is refused. A descriptor whose sync failed once is never synced again, because the kernel may have dropped the
 * pages that it could not write and would report success (https://wiki.postgresql.org/wiki/Fsync_Errors).
 */
export class DurableFileTransport extends Transport {
  readonly #file: DurableFile;
  readonly #log: ServiceLog;
  readonly #operations: FileOperations;
  readonly #maxQueuedRecords: number;
  readonly #maxQueuedLength: number;
  #queue: DurableRecord[] = [];
  #unacknowledgedRecords = 0;
  #unacknowledgedLength = 0;
  /** Bytes of acknowledged records: where the file is cut back to. */
  #durableSize: number;
  /** Latched. Recovery, by a new verified segment, has its place here: it would replace the file and clear this. */
  #failure: AuditUnavailableError | null = null;
  #committing: Promise<void> | null = null;

  /** @throws AuditUnavailableError when the file can't be opened; the message says what to do. */
  static async open(options: DurableFileOptions): Promise<DurableFileTransport> {
    const file = await openDurableFile(options.file, options.operations ?? nodeFileOperations);
    if (file.tornBytes > 0) {
      options.log.warn('The audit file ended in a torn record that was never acknowledged; it was moved aside.', {
        file: file.path,
        movedTo: file.tornPath,
        bytes: file.tornBytes,
      });
    }
    return new DurableFileTransport(file, options);
  }

  private constructor(file: DurableFile, options: DurableFileOptions) {
    super();
    this.#file = file;
    this.#log = options.log;
    this.#operations = options.operations ?? nodeFileOperations;
    this.#maxQueuedRecords = options.maxQueuedRecords ?? DEFAULT_MAX_QUEUED_RECORDS;
    this.#maxQueuedLength = options.maxQueuedLength ?? DEFAULT_MAX_QUEUED_LENGTH;
    this.#durableSize = file.size;
  }

  /** Null while records can be written; else why not. */
  get failure(): AuditUnavailableError | null {
    return this.#failure;
  }

  /** Takes one record from winston. `next` never gets an error: winston would detach the transport. */
  override log(record: DurableRecord, next: () => void): void {
    this.#accept(record);
    next();
  }

  /** Takes several at once. */
  override logv(writes: readonly { readonly chunk: DurableRecord }[], next: () => void): void {
    for (const { chunk } of writes) this.#accept(chunk);
    next();
  }

  /** Called by the stream after its last record: waits until all is acknowledged, then closes the file. */
  override async _final(done: () => void): Promise<void> {
    await this.#committing;
    await this.#operations.close(this.#file.fd).catch((cause: unknown) => {
      this.#log.warn('The audit file did not close cleanly; its records are durable.', {
        file: this.#file.path,
        cause,
      });
    });
    done();
  }

  #accept(record: DurableRecord): void {
    const refusal = this.#failure ?? this.#overflow(record);
    if (refusal !== null) {
      record[ACKNOWLEDGE](refusal);
      return;
    }
    this.#queue.push(record);
    this.#unacknowledgedRecords += 1;
    this.#unacknowledgedLength += record.message.length;
    this.#committing ??= this.#commitQueue();
  }

  #overflow(record: DurableRecord): AuditUnavailableError | null {
    if (
      this.#unacknowledgedRecords < this.#maxQueuedRecords &&
      this.#unacknowledgedLength + record.message.length <= this.#maxQueuedLength
    ) {
      return null;
    }
    return new AuditUnavailableError(
      `The audit file ${this.#file.path} takes records more slowly than they come: ${this.#unacknowledgedRecords} are waiting. ` +
        'Send fewer requests at once, or put SIGNING_AUDIT_FILE on a faster disk.',
    );
  }

  async #commitQueue(): Promise<void> {
    // Records that arrive in the same turn of the event loop share the first group.
    await nextTurn();
    while (this.#queue.length > 0) {
      const group = this.#queue;
      this.#queue = [];
      if (this.#failure === null) await this.#commit(group);
      this.#acknowledge(group);
    }
    this.#committing = null;
  }

  async #commit(group: readonly DurableRecord[]): Promise<void> {
    const bytes = Buffer.from(group.map(({ message }) => `${message}\n`).join(''));
    try {
      await writeFully(this.#file.fd, bytes, this.#operations);
      await this.#operations.fdatasync(this.#file.fd);
      await this.#assertInPlace(this.#durableSize + bytes.length);
      this.#durableSize += bytes.length;
    } catch (cause) {
      this.#failure = cause instanceof AuditUnavailableError ? cause : writeFault(this.#file.path, cause);
      this.#log.error(this.#failure.message, { file: this.#file.path, cause });
      await this.#cutBack(bytes.length);
    }
  }

  /** A file that nobody finds under its path, or that holds anything else than what was written, proves nothing. */
  async #assertInPlace(expectedSize: number): Promise<void> {
    const { path, dev, ino } = this.#file;
    const found = await this.#operations.stat(path).catch(() => null);
    if (found?.dev === dev && found.ino === ino && found.size === expectedSize) return;
    throw tamperedFault(path);
  }

  #acknowledge(group: readonly DurableRecord[]): void {
    for (const record of group) {
      this.#unacknowledgedRecords -= 1;
      this.#unacknowledgedLength -= record.message.length;
      record[ACKNOWLEDGE](this.#failure);
    }
  }

  /** Takes what was not acknowledged off the file, unless its size shows that somebody else writes to it too. */
  async #cutBack(attempted: number): Promise<void> {
    const { fd, path } = this.#file;
    try {
      const { size } = await this.#operations.fstat(fd);
      if (size < this.#durableSize || size > this.#durableSize + attempted) {
        throw new Error(`the file has ${size} bytes, ${this.#durableSize} were acknowledged`);
      }
      await this.#operations.ftruncate(fd, this.#durableSize);
    } catch (cause) {
      this.#log.error('The audit file was not cut back: records that were refused may stand at its end.', {
        file: path,
        cause,
      });
    }
  }
}
