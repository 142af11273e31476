import {
  isJsonObject,
  isReordered,
  type JsonObject,
  type JsonStep,
  type JsonValue,
  jsonPath,
  ownMember,
  REORDERED_NAME_MESSAGES,
  type ReorderedNameRemedy,
} from '../model/json.ts';
import { percentEncode } from '../model/text/byte-encodings.ts';
import { compareText } from '../model/text/compare-text.ts';
import { CONTROL_CHARACTER_MESSAGE, hasControlCharacter } from '../model/text/unsafe-characters.ts';
import { compactJson, isJsonText } from './json-text.ts';
import { fieldMessage, invalid } from './payload-outcome.ts';
import type { BodyForm, BodyHash, PathForm, QueryStyle } from './rule-options.ts';
import { isDelimited, type TemplateToken } from './template.ts';

/**
 * Renders a top-level member of `data`: a string without control characters, or an integer; `5` and
 * `"5"` render alike.
 */
export function renderValue(data: JsonObject, name: string): string {
  const value = ownMember(data, name);
  const path = jsonPath('data', [name]);
  if (typeof value === 'number' && Number.isInteger(value)) return JSON.stringify(value);
  if (typeof value !== 'string') {
    const isJson = typeof value === 'object' && value !== null;
    return invalid(path, fieldMessage(value, `must be a string or an integer${isJson ? JSON_TEXT : ''}`));
  }
  return hasControlCharacter(value) ? invalid(path, CONTROL_CHARACTER_MESSAGE) : value;
}

/**
 * Renders digits, given as an integer or a string.
 *
 * @param wanted what they must be
 */
export function renderDigits(path: string, value: JsonValue | undefined, form: RegExp, wanted: string): string {
  const text = typeof value === 'number' ? JSON.stringify(value) : value;
  return typeof text === 'string' && form.test(text) ? text : invalid(path, fieldMessage(value, wanted));
}

/** Renders `data.method`, ASCII letters, in a case. */
export function renderMethod(data: JsonObject, toCase: (method: string) => string): string {
  const value = ownMember(data, 'method');
  if (typeof value === 'string' && /^[A-Za-z]+$/.test(value)) return toCase(value);
  return invalid('data.method', fieldMessage(value, 'must be an HTTP method, such as GET or POST'));
}

// Visible ASCII without " # < > \ ^ ` { | }, which URL parsers encode or cut off: other bytes would
// be sent than signed.
const SENT_UNCHANGED = /^[!$-;=?-[\]_a-z~]*$/;
// Segments `.` and `..`, also percent-encoded: URL parsers remove them (WHATWG URL, "single-dot"
// and "double-dot URL path segment").
const DOT_SEGMENT = /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i;

/** Whether HTTP clients send a query unchanged: visible ASCII without ``" ' # < > \ ^ ` { | }``. */
function isQueryVerbatim(query: string): boolean {
  return SENT_UNCHANGED.test(query) && !query.includes("'");
}

/**
 * Renders `data.path` as sent: begins with `/`, consists of characters that HTTP clients send
 * unchanged (visible ASCII without ``" # < > \ ^ ` { | }``), has no segment `.` or
 * `..`. May have a query, which also has no `'`.
 */
export function renderPath(data: JsonObject): string {
  const value = ownMember(data, 'path');
  if (typeof value === 'string' && DOT_SEGMENT.test(value)) {
    return invalid('data.path', 'must not have a segment . or .., because HTTP clients remove it');
  }
  if (typeof value === 'string' && hasApostropheInQuery(value)) {
    return invalid('data.path', "must not have ' in its query, because HTTP clients encode it: send %27");
  }
  if (typeof value === 'string' && value.startsWith('/') && SENT_UNCHANGED.test(value)) return value;
  return invalid(
    'data.path',
    fieldMessage(
      value,
      'must be a path that starts with /, percent-encoded as sent: visible ASCII without " # < > \\ ^ ` { | }',
    ),
  );
}

/** URL parsers encode it only after the `?` (WHATWG URL, "special-query percent-encode set"). */
function hasApostropheInQuery(path: string): boolean {
  const start = path.indexOf('?');
  return start !== -1 && path.includes("'", start);
}

/** A text, or what is wrong with its value. */
type Text = { readonly text: string } | { readonly issue: string };

/** How {@link renderQuery} treats what it cannot render without a choice. */
interface QueryForm {
  /** For a name that loses its position; default: `noText`. */
  readonly remedy?: ReorderedNameRemedy;
  /** Whether a list gives one pair for each element; default: it is rejected. */
  readonly repeats?: boolean;
}

/**
 * Renders an object as `name=value` joined by `&`; empty without members. Values are strings,
 * numbers without an exponent (as JSON.stringify) and booleans: `1` and `"1"` render alike.
 *
 * - in the order sent, where names that lose their position are rejected, or sorted by the names'
 *   UTF-16 code units
 * - percent-encoded except RFC 3986 §2.3 unreserved characters (a space is `%20`), or as they are;
 *   then `&` in a value, `&` or `=` in a name and control characters are rejected as ambiguous
 *
 * @param steps path of the object in `data`
 */
export function renderQuery(
  steps: readonly JsonStep[],
  members: JsonObject,
  style: QueryStyle,
  { remedy = 'noText', repeats = false }: QueryForm = {},
): string {
  checkParameters(steps, Object.keys(members), style);
  const pairs: string[] = [];
  const entries = Object.entries(members);
  for (const [name, value] of style.sort ? entries.sort(([left], [right]) => compareText(left, right)) : entries) {
    const path = [...steps, name];
    const nameIssue = findNameIssue(name, style, remedy);
    if (nameIssue !== undefined) return invalid(jsonPath('data', path), nameIssue);
    const isList = repeats && Array.isArray(value);
    if (isList && value.length === 0) return invalid(jsonPath('data', path), 'must have at least one element');
    for (const [index, element] of (isList ? value : [value]).entries()) {
      const text = renderScalar(element, style);
      if ('issue' in text) return invalid(jsonPath('data', isList ? [...path, index] : path), text.issue);
      pairs.push(
        style.encode === 'none' ? `${name}=${text.text}` : `${percentEncode(name)}=${percentEncode(text.text)}`,
      );
    }
  }
  return pairs.join('&');
}

function checkParameters(steps: readonly JsonStep[], names: readonly string[], { parameters = {} }: QueryStyle): void {
  for (const [name, presence] of Object.entries(parameters)) {
    if (names.includes(name) === (presence === 'required')) continue;
    invalid(
      jsonPath('data', [...steps, name]),
      presence === 'required'
        ? 'is missing; the rule of this platform requires it'
        : 'must be absent: with it, the text could pass for a request under another rule of the same key',
    );
  }
}

/** The names of percent-encoded parameters, decoded where they can be. */
export function listNames(query: string): readonly string[] {
  return query.split('&').map((pair) => {
    const [name = ''] = pair.split('=', 1);
    try {
      return decodeURIComponent(name);
    } catch {
      return name;
    }
  });
}

/**
 * Whether parameters in this style may repeat a name. Not sorted ones, since no venue says how it
 * sorts them, nor those that venues sign before encoding: their lists are JSON texts.
 */
function mayRepeat({ sort = false, encode = 'percent' }: QueryStyle): boolean {
  return !sort && encode === 'percent';
}

/**
 * Renders parameters: an object as {@link renderQuery}. In a style in which they may repeat, also a
 * text verbatim, as a client made it: with `+` for a blank, or with characters that need not be
 * encoded. It must survive HTTP clients unchanged.
 *
 * @param steps path of the parameters in `data`
 */
export function renderParameters(steps: readonly JsonStep[], value: JsonValue | undefined, style: QueryStyle): string {
  const repeats = mayRepeat(style);
  if (isJsonObject(value)) return renderQuery(steps, value, style, { remedy: repeats ? 'orText' : 'noText', repeats });
  const path = jsonPath('data', steps);
  if (typeof value !== 'string') {
    return invalid(path, fieldMessage(value, 'must be an object with the parameters to sign'));
  }
  if (!repeats) {
    return invalid(
      path,
      `must be an object, because this platform signs parameters ${style.sort ? 'sorted' : 'before they are encoded'}`,
    );
  }
  if (value.startsWith('?')) return invalid(path, 'must not start with ?: send the text after it');
  if (!isQueryVerbatim(value) || !PAIRS.test(value)) return invalid(path, PAIRS_WANTED);
  const names = listNames(value);
  checkParameters(steps, names, style);
  const dated = names.find((name) => TIME_IN_NAME.test(name));
  return dated === undefined ? value : invalid(jsonPath('data', [...steps, dated]), TIME_IN_NAME_MESSAGE);
}

/** With one `=` each: `a=b=c` could be the query `a=` and the form `b=c`. */
const PAIRS = /^(?:[^&=]+=[^&=]*(?:&[^&=]+=[^&=]*)*)?$/;

const PAIRS_WANTED =
  'must be name=value joined by &, percent-encoded as sent, visible ASCII without " \' # < > \\ ^ ` { | }; or an object, which the service encodes';

/** Some venues sign an API key and a time before the parameters: the first name follows them. */
const TIME_IN_NAME = /[0-9]{13}/;
const TIME_IN_NAME_MESSAGE = 'must not have 13 digits in a row in its name, which could pass for a timestamp';

function findNameIssue(name: string, { sort, encode }: QueryStyle, remedy: ReorderedNameRemedy): string | undefined {
  if (!sort && isReordered(name)) return REORDERED_NAME_MESSAGES[remedy];
  if (TIME_IN_NAME.test(name)) return TIME_IN_NAME_MESSAGE;
  if (encode !== 'none') return undefined;
  if (/[&=]/.test(name)) return 'must not have & or = in its name, because names are signed without encoding';
  return hasControlCharacter(name) ? CONTROL_CHARACTER_MESSAGE : undefined;
}

const JSON_TEXT = ': of an object or a list, give its JSON text';

function renderScalar(value: JsonValue, { encode }: QueryStyle): Text {
  if (value === null) return { issue: 'must be a string, a number or a boolean' };
  if (typeof value === 'object') return { issue: `must be a string, a number or a boolean${JSON_TEXT}` };
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (typeof value === 'number' && text.includes('e')) {
    return { issue: 'must not be a number that is written with an exponent, such as 1e-8: send a decimal string' };
  }
  if (encode !== 'none') return { text };
  if (hasControlCharacter(text)) return { issue: CONTROL_CHARACTER_MESSAGE };
  return text.includes('&') ? { issue: 'must not have &, because values are signed without encoding' } : { text };
}

/**
 * Where the signed query comes from: the path (`path`); elsewhere, so that the path must have none
 * (`apart`); or `data.query` or the path (`joined`).
 */
export type QuerySource = 'path' | 'apart' | 'joined';

const ENCODED_WANTED =
  'must be percent-encoded as sent, visible ASCII without " \' # < > \\ ^ ` { | }; or an object, which the service encodes';

/**
 * Renders `data.query`: empty when absent, an object as {@link renderQuery}, a string verbatim. A
 * string must survive HTTP clients unchanged, unless the platform signs the query before it is
 * encoded.
 */
export function renderRequestQuery(data: JsonObject, style: QueryStyle): string {
  const rendered = readQuery(data, style);
  if (hasControlCharacter(rendered)) return invalid('data.query', CONTROL_CHARACTER_MESSAGE);
  return style.encode === 'none' || isQueryVerbatim(rendered) ? rendered : invalid('data.query', ENCODED_WANTED);
}

/**
 * Checks that the query is where the signed text takes it from, and in one place. Checks the path
 * even if the text does not name it.
 *
 * @param home where the rule takes the parameters from, for the message
 */
export function checkQueryPlace(data: JsonObject, place: QuerySource, home = 'data.query'): void {
  const path = ownMember(data, 'path');
  if (place === 'path' || typeof path !== 'string' || !path.includes('?')) return;
  if (place === 'apart') {
    invalid('data.path', `must not have a query (?…): this platform signs the parameters in ${home}`);
  }
  if (hasQuery(data)) {
    invalid('data.query', 'must be absent if data.path has a query: only one of the two is sent');
  }
}

/**
 * Checks members of `data` that a template has beside other text: without `&` and `=`, they begin
 * no parameter of another scheme of the same key.
 *
 * @param tokens of the template
 */
export function checkJoined(data: JsonObject, tokens: readonly TemplateToken[]): void {
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'data' || isDelimited(tokens, index)) continue;
    if (!/[&=]/.test(String(ownMember(data, token.name) ?? ''))) continue;
    const message = 'must not have & or =, because it is signed beside other text without a delimiter';
    invalid(jsonPath('data', [token.name]), message);
  }
}

/** Checks that `data.path` is as a rule requires, where it is a valid path. */
export function checkPathForm(data: JsonObject, { start = '', query }: PathForm): void {
  const path = ownMember(data, 'path');
  if (typeof path !== 'string') return;
  if (query === 'none' && path.includes('?')) {
    invalid('data.path', 'must not have a query (?…): this platform does not sign it');
  }
  if (!path.startsWith(start)) invalid('data.path', `must start with ${start}, as the rule of this platform requires`);
}

function readQuery(data: JsonObject, style: QueryStyle): string {
  const value = ownMember(data, 'query');
  if (value === undefined) return '';
  if (isJsonObject(value)) {
    return renderQuery(['query'], value, style, { remedy: 'orText', repeats: mayRepeat(style) });
  }
  if (typeof value !== 'string') {
    return invalid('data.query', 'must be an object, a string that is signed unchanged, or absent');
  }
  if (value.startsWith('?')) return invalid('data.query', 'must not start with ?: send the text after it');
  checkParameters(['query'], listNames(value), style);
  return value;
}

function hasQuery(data: JsonObject): boolean {
  const query = ownMember(data, 'query');
  if (query === undefined || query === '') return false;
  return !isJsonObject(query) || Object.keys(query).length > 0;
}

const FORM_STYLES: { readonly [Form in Exclude<BodyForm, JsonForm>]: QueryStyle } = {
  form: {},
  'form-sorted': { sort: true },
  'form-sorted-unencoded': { sort: true, encode: 'none' },
};

type JsonForm = 'json' | 'json-or-form';

const JSON_WANTED = 'must be an object, an array, the JSON text of one without white space around it';

const TEXTS_WANTED: { readonly [Form in JsonForm]: string } = {
  json: `${JSON_WANTED}, or absent; other texts need another option body in the rule of the platform`,
  'json-or-form': `${JSON_WANTED}, a percent-encoded form as text, or absent`,
};

const HASHED_WANTED =
  'must be an object, an array, a string that is signed unchanged, or absent; send any other body as a string';

/** As application/x-www-form-urlencoded is sent: `name=value` joined by `&`. */
const FORM_TEXT = /^[A-Za-z0-9._~%+*=&-]*$/;

/**
 * Renders `data.body`: empty when absent, an object or array as compact JSON in the order sent, or
 * an object as a form: percent-encoded in the order sent or sorted, or sorted and not encoded.
 *
 * A string is rendered verbatim. Beside other parts, a JSON body must be JSON: other text could
 * continue them, or end as the text of another scheme of the same key ends.
 *
 * @param bodyHash whether the body's hash is signed in its place
 */
export function renderBody(data: JsonObject, form: BodyForm, bodyHash: BodyHash = 'none'): string {
  const value = ownMember(data, 'body');
  if (value === undefined) return '';
  if (!isJsonForm(form)) return renderForm(value, FORM_STYLES[form]);
  if (typeof value === 'object' && value !== null) return compactJson(['body'], value);
  if (typeof value === 'string' && (bodyHash !== 'none' || isTextOf(value, form))) return value;
  return invalid('data.body', bodyHash === 'none' ? TEXTS_WANTED[form] : HASHED_WANTED);
}

function isJsonForm(form: BodyForm): form is JsonForm {
  return form === 'json' || form === 'json-or-form';
}

function isTextOf(text: string, form: JsonForm): boolean {
  return text === '' || isJsonText(text) || (form === 'json-or-form' && FORM_TEXT.test(text));
}

function renderForm(value: JsonValue, style: QueryStyle): string {
  if (typeof value === 'string') return value;
  if (isJsonObject(value)) return renderQuery(['body'], value, style, { remedy: 'orText' });
  return invalid(
    'data.body',
    'must be an object, a string that is signed unchanged, or absent; send any other body as a string',
  );
}
