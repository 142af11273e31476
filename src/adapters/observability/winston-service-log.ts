import { createLogger, type Logger, transports } from 'winston';
import type { ServiceLog } from '../../ports/service-log.ts';
import { type Facts, type LogFormatOptions, logFormat } from './log-format.ts';

/** Severities of the service log. */
export type ServiceLogLevel = 'error' | 'warn' | 'info';

/** Format and destination of the log. */
interface ServiceLogOptions extends LogFormatOptions {
  readonly stream?: NodeJS.WritableStream;
}

/** The operators' log by winston: one line per event, JSON by default. */
export class WinstonServiceLog implements ServiceLog {
  /** For further transports, `logger.add(…)`: they get redacted events and finished lines. */
  readonly logger: Logger;

  /** @param level least severe level that is logged */
  constructor(level: ServiceLogLevel, { stream = process.stdout, ...look }: ServiceLogOptions = {}) {
    this.logger = createLogger({ level, format: logFormat(look), transports: [new transports.Stream({ stream })] });
    // A closed reader (EPIPE) or a failing transport must not end the service.
    for (const emitter of [stream, this.logger]) emitter.on('error', () => undefined);
  }

  info(message: string, facts?: Facts): void {
    this.#write('info', message, facts);
  }

  warn(message: string, facts?: Facts): void {
    this.#write('warn', message, facts);
  }

  error(message: string, facts?: Facts): void {
    this.#write('error', message, facts);
  }

  /** Facts stay one object: winston would merge them into the event and replace its fields. */
  #write(level: ServiceLogLevel, message: string, facts: Facts | undefined): void {
    // winston formats before it checks the level.
    if (this.logger.isLevelEnabled(level)) this.logger.log({ level, message, facts });
  }
}
