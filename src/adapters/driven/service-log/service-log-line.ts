import { styleText } from 'node:util';
import type { JsonObject, JsonValue } from '../../../domain/model/json.ts';
import { escapeTreacherous } from './treacherous-characters.ts';

/** Severities of the service log, the gravest first. */
export const SERVICE_LOG_LEVELS = ['error', 'warn', 'info'] as const;

/** See {@link SERVICE_LOG_LEVELS}. */
export type ServiceLogLevel = (typeof SERVICE_LOG_LEVELS)[number];

/** One event, its facts already JSON. */
export interface ServiceLogEvent {
  /** ISO 8601 UTC with milliseconds. */
  readonly time: string;
  readonly level: string;
  readonly message: string;
  /** Absent when there is nothing to add. */
  readonly facts?: JsonObject;
}

type Style = Parameters<typeof styleText>[0];

const PLAIN = /^[\w./:@+-]+$/;

/** The event as a JSON object on one line: `{"time":"…","level":"info","message":"…","facts":{…}}`. */
export function jsonLine({ time, level, message, facts }: ServiceLogEvent): string {
  return escapeTreacherous(JSON.stringify({ time, level, message, facts }));
}

const LEVEL_STYLES: { readonly [level: string]: Style } = { error: ['bold', 'red'], warn: 'yellow', info: 'green' };

/** The event for people, on one line: `2026-11-20T08:49:00.000Z INFO  Listening. host=127.0.0.1 port=8080`. Errors lose their stacks. */
export function prettyLine({ time, level, message, facts = {} }: ServiceLogEvent, colour = false): string {
  const pairs = Object.entries(facts).map(([name, value]) => ` ${name}=${prettyValue(value)}`);
  const paint = (style: Style | undefined, text: string) => {
    const shown = escapeTreacherous(text);
    // Not for Node's own idea of whether standard output wants colour, which not every release has.
    return colour && style !== undefined ? styleText(style, shown, { validateStream: false }) : shown;
  };
  const label = paint(LEVEL_STYLES[level], level.toUpperCase().padEnd(5));
  return `${paint('dim', time)} ${label} ${paint('bold', message)}${paint(undefined, pairs.join(''))}`;
}

function prettyValue(value: JsonValue): string {
  if (typeof value === 'string' && PLAIN.test(value)) return value;
  return JSON.stringify(value, (name, inner) => (name === 'stack' ? undefined : inner));
}
