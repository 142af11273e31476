import { styleText } from 'node:util';
import { format, type Logform } from 'winston';
import type { JsonObject, JsonValue } from '../../../domain/model/json.ts';
import { escapeUnsafe } from '../../../domain/payload/control-characters.ts';
import { type Facts, loggable } from './loggable.ts';

/** Key by which winston's transports find the level of an event (its package triple-beam). */
const LEVEL = Symbol.for('level');

/** How lines look. */
export interface LogFormatOptions {
  /** Lines for people instead of JSON. */
  readonly pretty?: boolean;
  /** Whether those have colours. */
  readonly colour?: boolean;
}

/** What a transport gets, besides the finished line. */
interface LogEvent {
  /** ISO 8601 UTC with milliseconds. */
  readonly time: string;
  readonly level: string;
  readonly message: string;
  /** Absent when there is nothing to add. */
  readonly facts?: JsonObject;
}

/**
 * The format of all lines, for every transport of the logger: each event is one line, JSON
 * `{"time":"…","level":"info","message":"…","facts":{…}}` unless `pretty`, its facts redacted and
 * bounded ({@link loggable}) and unsafe characters escaped as in JSON.
 */
export function logFormat({ pretty = false, colour = false }: LogFormatOptions): Logform.Format {
  // Not format.json, which configures a stringifier for each line: a redacted event is plain JSON.
  const render = (event: LogEvent) => (pretty ? prettyLine(event, colour) : escapeUnsafe(JSON.stringify(event)));
  return format.combine(
    redact(),
    format.printf((info) => render(info as unknown as LogEvent)),
  );
}

/**
 * Leaves nothing but the fields of an event, in their order. Anything else that came with it may
 * hold a secret.
 */
const redact = format((info) => ({
  time: new Date().toISOString(),
  level: info.level,
  message: String(info.message),
  ...(info['facts'] === undefined ? {} : { facts: loggable(info['facts'] as Facts) }),
  [LEVEL]: info[LEVEL],
}));

type Style = Parameters<typeof styleText>[0];

const LEVEL_STYLES: { readonly [level: string]: Style } = { error: ['bold', 'red'], warn: 'yellow', info: 'green' };

const PLAIN = /^[\w./:@+-]+$/;

/**
 * `2026-11-20T08:49:00.000Z INFO  Listening. host=127.0.0.1 port=8080`. Errors lose their stacks.
 */
function prettyLine({ time, level, message, facts = {} }: LogEvent, colour: boolean): string {
  const pairs = Object.entries(facts).map(([name, value]) => ` ${name}=${prettyValue(value)}`);
  const paint = (style: Style | undefined, text: string) => {
    const shown = escapeUnsafe(text);
    // validateStream: whether standard output wants colours is decided by the caller.
    return colour && style !== undefined ? styleText(style, shown, { validateStream: false }) : shown;
  };
  const label = paint(LEVEL_STYLES[level], level.toUpperCase().padEnd(5));
  return `${paint('dim', time)} ${label} ${paint('bold', message)}${paint(undefined, pairs.join(''))}`;
}

function prettyValue(value: JsonValue): string {
  if (typeof value === 'string' && PLAIN.test(value)) return value;
  return JSON.stringify(value, (name, inner) => (name === 'stack' ? undefined : inner));
}
