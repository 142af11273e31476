import { createLogger, format, type Logger } from 'winston';
import Transport from 'winston-transport';
import type { AuditHead, AuditRecord } from '../../../domain/model/audit-entry.ts';
import type { ChainedRecord } from '../record/signed-record.ts';
import type { AuditFileLog } from './audit-file-log.ts';
import type { AuditFileMaintenance } from './audit-file-maintenance.ts';

/** Winston's keys of level and finished text (https://github.com/winstonjs/triple-beam). */
const LEVEL = Symbol.for('level');
const MESSAGE = Symbol.for('message');

/** An event of winston with its finished text. */
interface FinishedInfo {
  readonly [LEVEL]: 'info';
  readonly [MESSAGE]: string;
}

/** A group of records as a winston `info`. */
interface GroupInfo extends FinishedInfo {
  /** The last record. */
  readonly head: AuditHead;
}

/** Its text is the lines of the group, each with its newline. @param records at least one */
export function toGroupInfo(records: readonly ChainedRecord[]): GroupInfo {
  const lines = `${records.map(({ line }) => line).join('\n')}\n`;
  const { head } = records.at(-1) as ChainedRecord;
  return { head, [LEVEL]: 'info', [MESSAGE]: lines };
}

/** Further transports print this `info` as the line of the file. */
function toRecordInfo({ line }: ChainedRecord): AuditRecord & FinishedInfo {
  const record: AuditRecord = JSON.parse(line);
  return Object.assign(record, { [LEVEL]: 'info', [MESSAGE]: line } as const);
}

/** Receives the outcome of each group. */
interface GroupListener {
  /** Called in the tick in which the file's head moves. */
  onDurable(): void;
  /** Called last: null when durable, else an AuditUnavailableError or the error of `onDurable`. */
  onSettled(error: Error | null): void;
}

/**
 * A durable winston transport: appends a group in one write, and reports it once the file is
 * checked. The next group must wait for that.
 */
export class DurableFileTransport extends Transport {
  readonly #file: AuditFileMaintenance;
  readonly #listener: GroupListener;

  constructor(file: AuditFileMaintenance, listener: GroupListener) {
    super();
    this.#file = file;
    this.#listener = listener;
  }

  /** `next` never gets an error: winston would detach the transport. */
  override log(info: GroupInfo, next: () => void): void {
    void this.#append(info);
    next();
  }

  async #append({ head, [MESSAGE]: lines }: GroupInfo): Promise<void> {
    this.#listener.onSettled(await this.#file.write(lines, head, () => this.#listener.onDurable()));
  }
}

/** Records queued for a slow transport; further ones are dropped. */
const MAX_WAITING = 10_000;

/** A winston format that leaves the finished line alone. */
export const unchanged: () => Logger['format'] = format((info) => info);

/**
 * Sends every durable record to further winston transports, in order. Each has its own logger, so
 * none delays signing.
 */
export class RecordCopies {
  readonly #loggers: readonly Logger[];
  readonly #auditLog: AuditFileLog;

  constructor(transports: readonly Transport[], auditLog: AuditFileLog) {
    this.#auditLog = auditLog;
    this.#loggers = transports.map((transport) => this.#createLogger(transport));
  }

  send(record: ChainedRecord): void {
    if (this.#loggers.length === 0) return;
    const info = toRecordInfo(record);
    for (const logger of this.#loggers) {
      if (logger.writableLength < MAX_WAITING) logger.write(info);
      else this.#auditLog.copyLagging(logger.writableLength);
    }
  }

  /** Resolves when the transports have taken everything. */
  async close(): Promise<void> {
    await Promise.all(this.#loggers.map((logger) => new Promise<void>((resolve) => logger.end(resolve))));
  }

  #createLogger(transport: Transport): Logger {
    const log = transport.log?.bind(transport);
    // Otherwise an error of `log` would end the process.
    transport.log = (info, next) => {
      try {
        log?.(info, next);
      } catch (cause) {
        this.#auditLog.copyFailed(cause);
        next();
      }
    };
    const logger = createLogger({ level: 'info', format: unchanged(), transports: [transport] });
    return logger.on('error', (cause: unknown) => this.#auditLog.copyFailed(cause));
  }
}
