import { type JsonObject, type JsonValue, ownMember } from '../model/json.ts';
import { parseIsoTime } from '../model/text/iso-time.ts';
import { fieldMessage, invalid } from './payload-outcome.ts';
import { renderValue } from './request-parts.ts';
import type { TimestampForm } from './rule-options.ts';

const FORMS: { readonly [Form in TimestampForm]: (value: JsonValue | undefined) => string } = {
  iso: renderIso,
  ms: (value) => renderCount(value, 1, /^[1-9]\d{12}$/, MILLISECONDS_WANTED),
  s: (value) => renderCount(value, 1000, /^[1-9]\d{9}$/, SECONDS_WANTED),
  's-fraction': (value) => renderCount(value, 1000, /^[1-9]\d{9}(?:\.\d{1,9})?$/, FRACTION_WANTED),
};

const ISO_WANTED = 'must be an ISO 8601 time in UTC with milliseconds, such as 2020-12-08T09:08:57.715Z';
const MILLISECONDS_WANTED =
  'must be the milliseconds since 1970-01-01T00:00:00Z, 13 digits as an integer or a string, or a time such as 2020-12-08T09:08:57.715Z';
const SECONDS_WANTED =
  'must be the seconds since 1970-01-01T00:00:00Z, 10 digits as an integer or a string, or a time in whole seconds such as 2020-12-08T09:08:57Z';
const FRACTION_WANTED =
  'must be the seconds since 1970-01-01T00:00:00Z, 10 digits and at most 9 decimals as a number or a string, or a time such as 2020-12-08T09:08:57.715Z';

/**
 * Renders `data.timestamp` in a platform's form; without one, the string as sent or an integer's
 * digits.
 *
 * - `iso`: ISO 8601 UTC with milliseconds, as sent
 * - `ms`: 13 digits as an integer or string, or converted from ISO 8601 UTC
 * - `s`: 10 digits likewise, from whole seconds only
 * - `s-fraction`: likewise, with or without decimals: of a string as sent, of a number as in JSON
 *
 * The digit counts cover 2001-09-09 to 2286-11-20 and keep seconds from passing for milliseconds.
 */
export function renderTimestamp(data: JsonObject, form: TimestampForm | undefined): string {
  return form === undefined ? renderValue(data, 'timestamp') : FORMS[form](ownMember(data, 'timestamp'));
}

function renderIso(value: JsonValue | undefined): string {
  return typeof value === 'string' && isIsoTime(value)
    ? value
    : invalid('data.timestamp', fieldMessage(value, ISO_WANTED));
}

function renderCount(value: JsonValue | undefined, unit: number, digits: RegExp, wanted: string): string {
  if (typeof value === 'string' && digits.test(value)) return value;
  const count = typeof value === 'string' ? (parseIsoTime(value) ?? Number.NaN) / unit : value;
  const text = typeof count === 'number' ? JSON.stringify(count) : '';
  return digits.test(text) ? text : invalid('data.timestamp', fieldMessage(value, wanted));
}

/** Whether a text is a valid ISO 8601 time in UTC with milliseconds. */
export function isIsoTime(text: string): boolean {
  return text.includes('.') && parseIsoTime(text) !== null;
}
