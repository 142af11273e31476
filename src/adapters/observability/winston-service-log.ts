import { styleText } from 'node:util';
import { createLogger, format, type Logform, type Logger, transports } from 'winston';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/model/json.ts';
import { escapeUnsafe } from '../../domain/model/text/unsafe-characters.ts';
import type { Facts } from '../../ports/service-log.ts';
import { type ServiceLogLevel, ThrottledLog } from './throttled-log.ts';

/** Format and destination of the log. */
interface ServiceLogOptions {
  /** Human-readable lines instead of JSON. */
  readonly pretty?: boolean;
  /** Colours of human-readable lines. */
  readonly colour?: boolean;
  readonly stream?: NodeJS.WritableStream;
}

/** The operators' log by winston: one line per event, JSON by default. */
export class WinstonServiceLog extends ThrottledLog {
  readonly #logger: Logger;

  /** @param level least severe level that is logged */
  constructor(level: ServiceLogLevel, { stream = process.stdout, ...look }: ServiceLogOptions = {}) {
    super();
    this.#logger = createLogger({ level, format: logFormat(look), transports: [new transports.Stream({ stream })] });
    // A closed reader (EPIPE) or a failing transport must not end the service.
    for (const emitter of [stream, this.#logger]) emitter.on('error', () => undefined);
  }

  /** Facts stay one object: winston would merge them into the event and replace its fields. */
  protected override write(level: ServiceLogLevel, message: string, facts: Facts | undefined): void {
    // winston formats before it checks the level.
    if (!this.#logger.isLevelEnabled(level)) return;
    this.#logger.log({
      time: new Date().toISOString(),
      level,
      message,
      ...(facts !== undefined && { facts: loggable(facts) }),
    } satisfies LogEvent);
  }
}

const MAX_DEPTH = 6;
const MAX_ENTRIES = 100;

/**
 * Facts as JSON, redacted and bounded to 6 levels and 100 entries; repeated objects are cut. Errors
 * keep name, message, stack and cause: other properties may hold a caller's data. Byte arrays
 * become their length, so that no key is logged. Never throws.
 */
export function loggable(facts: Facts): JsonObject {
  const rendered = render(facts, 0, new Set());
  return isJsonObject(rendered) ? rendered : { facts: rendered };
}

function render(value: unknown, depth: number, seen: Set<object>): JsonValue {
  if (typeof value !== 'object' || value === null) return renderPrimitive(value);
  try {
    return renderObject(value, depth, seen);
  } catch {
    return '[unreadable]';
  }
}

function renderPrimitive(value: unknown): JsonValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'function') return '[function]';
  return String(value);
}

function renderObject(value: object, depth: number, seen: Set<object>): JsonValue {
  if (seen.has(value)) return '[repeated]';
  if (depth === MAX_DEPTH) return '[too deep]';
  seen.add(value);
  const inner = (item: unknown) => render(item, depth + 1, seen);
  if (value instanceof Error) return renderError(value, inner);
  if (value instanceof Date) return String(value.toJSON());
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map(inner);
  if (value instanceof Map || value instanceof Set) return [...value].slice(0, MAX_ENTRIES).map(inner);
  return renderProperties(value, Object.keys(value).slice(0, MAX_ENTRIES), inner);
}

function renderError(error: Error, inner: (item: unknown) => JsonValue): JsonValue {
  const rendered = renderProperties(error, ['name', 'message', 'stack'], inner);
  return 'cause' in error && error.cause !== undefined
    ? { ...rendered, ...renderProperties(error, ['cause'], inner) }
    : rendered;
}

function renderProperties(value: object, names: readonly string[], inner: (item: unknown) => JsonValue): JsonObject {
  // Without a prototype, so that any name is a property.
  const rendered: { [name: string]: JsonValue } = Object.create(null);
  for (const name of names) rendered[name] = inner(readProperty(value, name));
  return rendered;
}

function readProperty(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name);
  } catch {
    return '[unreadable]';
  }
}

/** What a line shows; `facts` redacted ({@link loggable}). */
interface LogEvent {
  /** ISO 8601 UTC with milliseconds. */
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly facts?: JsonObject;
}

/**
 * The winston format: one line per event, JSON
 * `{"time":"…","level":"info","message":"…","facts":{…}}` unless `pretty`, unsafe characters
 * escaped.
 */
function logFormat({ pretty = false, colour = false }: ServiceLogOptions): Logform.Format {
  // Not format.json, which configures a stringifier per line: redacted events are plain JSON.
  const render = (event: LogEvent) => (pretty ? prettyLine(event, colour) : escapeUnsafe(JSON.stringify(event)));
  return format.printf((info) => render(info as unknown as LogEvent));
}

type Style = Parameters<typeof styleText>[0];

const LEVEL_STYLES: { readonly [level: string]: Style } = { error: ['bold', 'red'], warn: 'yellow', info: 'green' };

const PLAIN = /^[\w./:@+-]+$/;

/** `2026-11-20T08:49:00.000Z INFO  Listening. host=127.0.0.1 port=8080`; without stacks. */
function prettyLine({ time, level, message, facts = {} }: LogEvent, colour: boolean): string {
  const pairs = Object.entries(facts).map(([name, value]) => ` ${name}=${prettyValue(value)}`);
  const paint = (style: Style | undefined, text: string) => {
    const shown = escapeUnsafe(text);
    // validateStream: the caller decides on colours.
    return colour && style !== undefined ? styleText(style, shown, { validateStream: false }) : shown;
  };
  const label = paint(LEVEL_STYLES[level], level.toUpperCase().padEnd(5));
  return `${paint('dim', time)} ${label} ${paint('bold', message)}${paint(undefined, pairs.join(''))}`;
}

function prettyValue(value: JsonValue): string {
  if (typeof value === 'string' && PLAIN.test(value)) return value;
  return JSON.stringify(value, (name, inner) => (name === 'stack' ? undefined : inner));
}
