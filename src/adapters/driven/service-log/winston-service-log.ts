import { createLogger, format, type Logger, transports } from 'winston';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { loggable } from './loggable.ts';
import { jsonLine, prettyLine, type ServiceLogEvent, type ServiceLogLevel } from './service-log-line.ts';

/** Key under which winston's own transports look for the finished text (`MESSAGE` of winston's triple-beam). */
const MESSAGE = Symbol.for('message');
/** The line is finished before winston sees it; winston's formats merge and replace fields. */
const unchanged = format((info) => info);

type Facts = { readonly [name: string]: unknown };

/** How and where the log is written. */
export interface ServiceLogOptions {
  /** Lines for people instead of JSON. */
  readonly pretty?: boolean;
  /** Whether those have colours. */
  readonly colour?: boolean;
  /** Default: standard output. */
  readonly stream?: NodeJS.WritableStream;
}

/** The operators' log on standard output, by winston: one line an event, JSON by default. */
export class WinstonServiceLog implements ServiceLog {
  readonly #logger: Logger;
  readonly #render: (event: ServiceLogEvent) => string;

  /** Events graver than `level` or equal to it are written. */
  constructor(
    level: ServiceLogLevel,
    { pretty = false, colour = false, stream = process.stdout }: ServiceLogOptions = {},
  ) {
    this.#render = pretty ? (event) => prettyLine(event, colour) : jsonLine;
    // A reader of the log that went away (EPIPE) must not end the service.
    stream.on('error', () => undefined);
    this.#logger = createLogger({ level, format: unchanged(), transports: [new transports.Stream({ stream })] });
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

  #write(level: ServiceLogLevel, message: string, facts: Facts | undefined): void {
    if (!this.#logger.isLevelEnabled(level)) return;
    const time = new Date().toISOString();
    const line = this.#render({ time, level, message, ...(facts && { facts: loggable(facts) }) });
    this.#logger.log({ level, message: line, [MESSAGE]: line });
  }
}
