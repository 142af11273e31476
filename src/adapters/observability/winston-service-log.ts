import { createLogger, type Logger, transports } from 'winston';
import type { Facts } from '../../ports/service-log.ts';
import { type LogFormatOptions, logFormat } from './log-format.ts';
import { type ServiceLogLevel, ThrottledLog } from './throttled-log.ts';

/** Format and destination of the log. */
interface ServiceLogOptions extends LogFormatOptions {
  readonly stream?: NodeJS.WritableStream;
}

/** The operators' log by winston: one line per event, JSON by default. */
export class WinstonServiceLog extends ThrottledLog {
  /** For further transports, `logger.add(…)`: they get redacted events and finished lines. */
  readonly logger: Logger;

  /** @param level least severe level that is logged */
  constructor(level: ServiceLogLevel, { stream = process.stdout, ...look }: ServiceLogOptions = {}) {
    super();
    this.logger = createLogger({ level, format: logFormat(look), transports: [new transports.Stream({ stream })] });
    // A closed reader (EPIPE) or a failing transport must not end the service.
    for (const emitter of [stream, this.logger]) emitter.on('error', () => undefined);
  }

  /** Facts stay one object: winston would merge them into the event and replace its fields. */
  protected override write(level: ServiceLogLevel, message: string, facts: Facts | undefined): void {
    // winston formats before it checks the level.
    if (this.logger.isLevelEnabled(level)) this.logger.log({ level, message, facts });
  }
}
