import type { DataFormat } from '../model/data-format.ts';
import type { Issue } from '../model/issue.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { isJsonObject, ownMember } from './json-object.ts';
import { fieldMessage } from './payload-outcome.ts';
import { isIsoTime } from './timestamp-text.ts';

/**
 * Adds what is wrong with the value at `path` to `issues`; the value is undefined where it is
 * missing.
 */
type Check = (value: JsonValue | undefined, path: string, issues: Issue[]) => void;

/** Members that are named. More are allowed, and are signed as well. */
type Members = { readonly [name: string]: Check };

const HTTP_METHODS = new Set([
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
  ...['get', 'post', 'put', 'patch', 'delete', 'head', 'options'],
]);

/** May be empty, as the price of a market order is. */
const text = textThat(() => true, 'must be a string');
const nonEmptyText = textThat((value) => value !== '', 'must be a non-empty string');
const requestPath = textThat((value) => value.startsWith('/'), 'must be a string that begins with /');
const method = textThat(
  (value) => HTTP_METHODS.has(value),
  'must be one of GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS, in upper or lower case',
);
const isoTime = textThat(
  isIsoTime,
  'must be a date and time of ISO 8601 in UTC with milliseconds, as in 2026-11-20T09:00:00.000Z',
);
const milliseconds = valueThat(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'must be an integer: milliseconds since 1970-01-01T00:00:00Z',
);

const ORDER_OF_A = { type: text, market: text, side: text, amount: text, price: text };
const ORDER_OF_B = { action: text, symbol: text, price: text, quantity: text, timestamp: milliseconds };
const TRADE = { symbol: text, side: text, type: text, quantity: text, price: text };
const ORDER_OF_C = { ...TRADE, timestamp: milliseconds };
const ORDER_OF_D = { instId: text, side: text, ordType: text, sz: text, px: text };

/** The order in `instruction` with a nonce beside it. */
const A_WITH_INSTRUCTION = object({
  instruction: object(ORDER_OF_A, 'must be an object with type, market, side, amount and price'),
  nonce: milliseconds,
});

/** The order's fields at the top, with or without a nonce. */
const A_FLAT = object({ ...ORDER_OF_A, nonce: optional(milliseconds) });

/** A message: an object, or a text that is not empty. */
const B = object({
  message: textOr(
    nonEmptyText,
    object(ORDER_OF_B, 'must be an object with action, symbol, price, quantity and timestamp, or a non-empty string'),
  ),
});

/** A request whose parameters get signed. */
const C = object({
  method,
  endpoint: requestPath,
  params: object(ORDER_OF_C, 'must be an object with symbol, side, type, quantity, price and timestamp'),
});

/** A request with its timestamp; without a body, with a text or with an order. */
const D = object({
  method,
  path: requestPath,
  timestamp: isoTime,
  body: optional(
    textOr(text, object(ORDER_OF_D, 'must be an object with instId, side, ordType, sz and px, a string, or absent')),
  ),
});

/** Every JSON object. */
const ANY = object({});

const FORMATS: { readonly [Format in DataFormat]: (data: JsonObject) => Check } = {
  A: (data) => (Object.hasOwn(data, 'instruction') ? A_WITH_INSTRUCTION : A_FLAT),
  B: () => B,
  C: () => C,
  D: () => D,
  any: () => ANY,
};

/**
 * Every way in which `data` is not of the shape that the format shows, at most one for a place,
 * with paths that begin with `data`; empty where it is.
 */
export function findFormatIssues(format: DataFormat, data: JsonObject): readonly Issue[] {
  const issues: Issue[] = [];
  FORMATS[format](data)(data, 'data', issues);
  return issues;
}

function object(members: Members, wanted = 'must be an object'): Check {
  const checks = Object.entries(members);
  return (value, path, issues) => {
    if (!isJsonObject(value)) issues.push({ path, message: fieldMessage(value, wanted) });
    else for (const [name, check] of checks) check(ownMember(value, name), `${path}.${name}`, issues);
  };
}

function valueThat(isRight: (value: JsonValue) => boolean, wanted: string): Check {
  return (value, path, issues) => {
    if (value === undefined || !isRight(value)) issues.push({ path, message: fieldMessage(value, wanted) });
  };
}

function textThat(isRight: (value: string) => boolean, wanted: string): Check {
  return valueThat((value) => typeof value === 'string' && isRight(value), wanted);
}

function textOr(checkText: Check, other: Check): Check {
  return (value, path, issues) => (typeof value === 'string' ? checkText : other)(value, path, issues);
}

function optional(check: Check): Check {
  return (value, path, issues) => {
    if (value !== undefined) check(value, path, issues);
  };
}
