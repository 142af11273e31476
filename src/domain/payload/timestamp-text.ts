import type { Issue } from '../model/issue.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import type { PrehashRule } from '../model/payload-rule.ts';
import { CONTROL_CHARACTER_MESSAGE, hasControlCharacter } from './control-characters.ts';
import { ownMember } from './json-object.ts';
import { fieldMessage, invalid, type Rendered, serialized, verbatim } from './payload-outcome.ts';

type TimestampForm = NonNullable<PrehashRule['timestamp']>;

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z$/;

const FORMS: { readonly [Form in TimestampForm]: (value: JsonValue | undefined) => Outcome<Rendered, Issue> } = {
  iso: isoText,
  ms: (value) => countText(value, 1, /^[1-9]\d{12}$/, MILLISECONDS_WANTED),
  s: (value) => countText(value, 1000, /^[1-9]\d{9}$/, SECONDS_WANTED),
};

const ISO_WANTED = 'must be a time of ISO 8601 in UTC with milliseconds, such as 2020-12-08T09:08:57.715Z';
const MILLISECONDS_WANTED =
  'must be the milliseconds since 1970-01-01T00:00:00Z, 13 digits as an integer or a string, or a time such as 2020-12-08T09:08:57.715Z';
const SECONDS_WANTED =
  'must be the seconds since 1970-01-01T00:00:00Z, 10 digits as an integer or a string, or a time of a whole second such as 2020-12-08T09:08:57Z';

/**
 * `data.timestamp` in the form that a platform wants: the text as sent, or an integer's digits, where it wants none.
 *
 * - `iso`: a time of ISO 8601 in UTC with milliseconds, as sent
 * - `ms`: 13 digits, given as an integer or as text, or converted from a time of ISO 8601 in UTC
 * - `s`: 10 digits, likewise, where the time has no part of a second
 *
 * 13 and 10 digits are the times from 2001-09-09 to 2286-11-20, so that seconds can't pass for milliseconds. A time that the calendar does not
 * have is refused.
 */
export function timestampText(data: JsonObject, form: TimestampForm | undefined): Outcome<Rendered, Issue> {
  const value = ownMember(data, 'timestamp');
  return form === undefined ? textAsSent(value) : FORMS[form](value);
}

function textAsSent(value: JsonValue | undefined): Outcome<Rendered, Issue> {
  if (typeof value === 'number' && Number.isInteger(value)) return serialized(JSON.stringify(value));
  if (typeof value !== 'string')
    return invalid('data.timestamp', fieldMessage(value, 'must be a string or an integer'));
  return hasControlCharacter(value) ? invalid('data.timestamp', CONTROL_CHARACTER_MESSAGE) : verbatim(value);
}

function isoText(value: JsonValue | undefined): Outcome<Rendered, Issue> {
  return typeof value === 'string' && isIsoTime(value)
    ? verbatim(value)
    : invalid('data.timestamp', fieldMessage(value, ISO_WANTED));
}

function countText(
  value: JsonValue | undefined,
  unit: number,
  digits: RegExp,
  wanted: string,
): Outcome<Rendered, Issue> {
  if (typeof value === 'string' && digits.test(value)) return verbatim(value);
  const count = typeof value === 'string' ? (isoMilliseconds(value) ?? Number.NaN) / unit : value;
  const text = typeof count === 'number' ? JSON.stringify(count) : '';
  return digits.test(text) ? serialized(text) : invalid('data.timestamp', fieldMessage(value, wanted));
}

/**
 * Whether a text is a time of ISO 8601 in UTC with milliseconds, on a day and at an hour that there
 * is.
 */
export function isIsoTime(text: string): boolean {
  return text.includes('.') && isoMilliseconds(text) !== undefined;
}

/** Milliseconds since 1970 of a time in UTC; undefined for another text, and for a day or an hour that there is not. */
function isoMilliseconds(text: string): number | undefined {
  if (!ISO_TIME.test(text)) return undefined;
  const time = Date.parse(text);
  if (Number.isNaN(time)) return undefined;
  const withMilliseconds = text.includes('.') ? text : text.replace('Z', '.000Z');
  return new Date(time).toISOString() === withMilliseconds ? time : undefined;
}
