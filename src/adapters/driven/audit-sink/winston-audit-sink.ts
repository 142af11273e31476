import { createLogger, format, type Logger } from 'winston';
import type { AuditEntry } from '../../../domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../../domain/model/errors.ts';
import type { AuditSink } from '../../../ports/audit-sink.ts';
import { auditRecord } from './audit-record.ts';
import {
  ACKNOWLEDGE,
  type DurableFileOptions,
  DurableFileTransport,
  type DurableRecord,
} from './durable-file-transport.ts';

/** The line is finished before winston sees it; winston's formats merge and replace fields. */
const unchanged = format((info) => info);

/** Audit entries as JSON Lines in a file, through a winston logger with one durable transport. */
export class WinstonAuditSink implements AuditSink {
  readonly #transport: DurableFileTransport;
  readonly #logger: Logger;
  #closing: Promise<void> | null = null;

  /**
   * Opens the file at once, so that a service whose records could not be kept does not start.
   * @throws AuditUnavailableError that names the file, SIGNING_AUDIT_FILE and what to do.
   */
  static async open(options: DurableFileOptions): Promise<WinstonAuditSink> {
    return new WinstonAuditSink(await DurableFileTransport.open(options));
  }

  private constructor(transport: DurableFileTransport) {
    this.#transport = transport;
    this.#logger = createLogger({ level: 'info', format: unchanged(), transports: [transport] });
  }

  get available(): boolean {
    return this.#closing === null && this.#transport.failure === null;
  }

  append(entry: AuditEntry): Promise<void> {
    if (this.#closing !== null) return Promise.reject(new AuditUnavailableError('The audit file is closed.'));
    return new Promise((resolve, reject) => {
      const record: DurableRecord = {
        level: 'info',
        message: auditRecord(entry),
        [ACKNOWLEDGE]: (error) => (error === null ? resolve() : reject(error)),
      };
      this.#logger.log(record);
    });
  }

  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      this.#logger.once('finish', resolve);
      this.#logger.end();
    });
    return this.#closing;
  }
}
