import { createLogger, format, type Logger, transports } from 'winston';
import { timeText } from '../../../domain/model/time-text.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { LineGroup } from './line-group.ts';
import { loggable } from './loggable.ts';
import { plainLine } from './plain-line.ts';
import {
  jsonLine,
  prettyLine,
  SERVICE_LOG_LEVELS,
  type ServiceLogEvent,
  type ServiceLogLevel,
} from './service-log-line.ts';

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
  /** Whether lines of level info are held until the turn of the event loop is over, and then written in one piece. */
  readonly grouped?: boolean;
}

/** The operators' log on standard output, by winston: one line an event, JSON by default. */
export class WinstonServiceLog implements ServiceLog {
  readonly #logger: Logger;
  readonly #render: (event: ServiceLogEvent, facts: Facts | undefined) => string;
  readonly #written: ReadonlySet<ServiceLogLevel>;
  /** Null where each line is written as it comes. */
  readonly #group: LineGroup | null;

  /** Events graver than `level` or equal to it are written. */
  constructor(
    level: ServiceLogLevel,
    { pretty = false, colour = false, stream = process.stdout, grouped = false }: ServiceLogOptions = {},
  ) {
    this.#render = pretty ? (event, facts) => prettyLine(withFacts(event, facts), colour) : renderJson;
    // A reader of the log that went away (EPIPE) must not end the service.
    stream.on('error', () => undefined);
    this.#logger = createLogger({ level, format: unchanged(), transports: [new transports.Stream({ stream })] });
    this.#written = new Set(SERVICE_LOG_LEVELS.filter((each) => this.#logger.isLevelEnabled(each)));
    this.#group = grouped ? new LineGroup((lines) => this.#hand('info', lines)) : null;
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
    if (!this.#written.has(level)) return;
    const line = this.#render({ time: timeText(Date.now()), level, message }, facts);
    if (this.#group !== null && level === 'info') return void this.#group.add(line);
    // What is graver waits for nothing, and comes behind what came before.
    this.#group?.write();
    this.#hand(level, line);
  }

  #hand(level: ServiceLogLevel, lines: string): void {
    this.#logger.log({ level, message: lines, [MESSAGE]: lines });
  }
}

function renderJson(event: ServiceLogEvent, facts: Facts | undefined): string {
  const plain = facts === undefined ? null : plainLine(event, facts);
  return plain ?? jsonLine(withFacts(event, facts));
}

function withFacts(event: ServiceLogEvent, facts: Facts | undefined): ServiceLogEvent {
  return facts === undefined ? event : { ...event, facts: loggable(facts) };
}
