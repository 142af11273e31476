import { createLogger, format, type Logger } from 'winston';
import type Transport from 'winston-transport';
import type { ChainedRecord } from '../../../audit-trail/signed-record.ts';
import type { AuditNotices } from './audit-notices.ts';
import { toRecordInfo } from './record-info.ts';

/** Records that may wait for a slow transport; it misses those that come while so many do. */
const MAX_WAITING = 10_000;

/** A winston format that leaves an `info` as it is: a record's line is finished. */
export const unchanged: () => Logger['format'] = format((info) => info);

/**
 * Hands every durable record, segment records included, to further winston transports, in order.
 * What these do neither delays nor stops signing: each has a logger of its own.
 */
export class RecordCopies {
  readonly #loggers: readonly Logger[];
  readonly #notices: AuditNotices;

  constructor(transports: readonly Transport[], notices: AuditNotices) {
    this.#notices = notices;
    this.#loggers = transports.map((transport) => this.#loggerOf(transport));
  }

  send(record: ChainedRecord): void {
    if (this.#loggers.length === 0) return;
    const info = toRecordInfo(record);
    for (const logger of this.#loggers) {
      if (logger.writableLength < MAX_WAITING) logger.write(info);
      else this.#notices.copyBehind(logger.writableLength);
    }
  }

  /** Resolves when the transports have taken all that was sent to them. */
  async close(): Promise<void> {
    await Promise.all(this.#loggers.map((logger) => new Promise<void>((resolve) => logger.end(resolve))));
  }

  #loggerOf(transport: Transport): Logger {
    const log = transport.log?.bind(transport);
    // A stream does not survive an error that its `log` throws, nor may this process end of it.
    transport.log = (info, next) => {
      try {
        log?.(info, next);
      } catch (cause) {
        this.#notices.notCopied(cause);
        next();
      }
    };
    const logger = createLogger({ level: 'info', format: unchanged(), transports: [transport] });
    return logger.on('error', (cause: unknown) => this.#notices.notCopied(cause));
  }
}
