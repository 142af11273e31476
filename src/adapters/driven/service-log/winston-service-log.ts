import { createLogger, type Logger, transports } from 'winston';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { type LogFormatOptions, logFormat } from './log-format.ts';
import type { Facts } from './loggable.ts';

/** Severities of the service log. */
export type ServiceLogLevel = 'error' | 'warn' | 'info';

/** How and where the log is written. */
export interface ServiceLogOptions extends LogFormatOptions {
  /** Default: standard output. */
  readonly stream?: NodeJS.WritableStream;
}

/** The operators' log on standard output, by winston: one line an event, JSON by default. */
export class WinstonServiceLog implements ServiceLog {
  /** For further transports: `logger.add(…)`. They get redacted events and finished lines. */
  readonly logger: Logger;

  /** Events at least as severe as `level` are written. */
  constructor(level: ServiceLogLevel, { stream = process.stdout, ...look }: ServiceLogOptions = {}) {
    this.logger = createLogger({ level, format: logFormat(look), transports: [new transports.Stream({ stream })] });
    // A reader that went away (EPIPE), or any transport that fails, must not end the service.
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

  /**
   * One object: winston would merge facts into the event, whose own message, level, stack or cause
   * they could replace.
   */
  #write(level: ServiceLogLevel, message: string, facts: Facts | undefined): void {
    // winston formats an event before it looks at its level.
    if (this.logger.isLevelEnabled(level)) this.logger.log({ level, message, facts });
  }
}
