import type { Issue } from '../model/errors.ts';
import { isJsonObject, type JsonObject, type JsonValue, ownMember } from '../model/json.ts';
import type { DataFormat } from '../model/platform.ts';
import { fieldMessage } from './payload-outcome.ts';
import { isIsoTime } from './request-timestamp.ts';

/** Adds issues of the value at `path`; the value is undefined where it is missing. */
type Check = (value: JsonValue | undefined, path: string, issues: Issue[]) => void;

/** Checked members. More are allowed and signed. */
type Members = { readonly [name: string]: Check };

const HTTP_METHODS = new Set([
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
  ...['get', 'post', 'put', 'patch', 'delete', 'head', 'options'],
]);

/** May be empty, as the price of a market order is. */
const text = stringThat(() => true, 'must be a string');
const nonEmptyString = stringThat((value) => value !== '', 'must be a non-empty string');
const requestPath = stringThat((value) => value.startsWith('/'), 'must be a string that starts with /');
const method = stringThat(
  (value) => HTTP_METHODS.has(value),
  'must be one of GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS, in upper or lower case',
);
const isoTime = stringThat(
  isIsoTime,
  'must be an ISO 8601 time in UTC with milliseconds, such as 2026-11-20T09:00:00.000Z',
);
const milliseconds = valueThat(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'must be an integer, the milliseconds since 1970-01-01T00:00:00Z',
);

const ORDER_OF_A = { type: text, market: text, side: text, amount: text, price: text };
const ORDER_OF_B = { action: text, symbol: text, price: text, quantity: text, timestamp: milliseconds };
const TRADE = { symbol: text, side: text, type: text, quantity: text, price: text };
const ORDER_OF_C = { ...TRADE, timestamp: milliseconds };
const ORDER_OF_D = { instId: text, side: text, ordType: text, sz: text, px: text };

const A_WITH_INSTRUCTION = object({
  instruction: object(ORDER_OF_A, 'must be an object with type, market, side, amount and price'),
  nonce: milliseconds,
});

const A_FLAT = object({ ...ORDER_OF_A, nonce: optional(milliseconds) });

const B = object({
  message: stringOr(
    nonEmptyString,
    object(ORDER_OF_B, 'must be an object with action, symbol, price, quantity and timestamp, or a non-empty string'),
  ),
});

const C = object({
  method,
  endpoint: requestPath,
  params: object(ORDER_OF_C, 'must be an object with symbol, side, type, quantity, price and timestamp'),
});

const D = object({
  method,
  path: requestPath,
  timestamp: isoTime,
  body: optional(
    stringOr(
      text,
      object(ORDER_OF_D, 'must be an object with instId, side, ordType, sz and px, or JSON text, or absent'),
    ),
  ),
});

const ANY = object({});

const FORMATS: { readonly [Format in DataFormat]: (data: JsonObject) => Check } = {
  A: (data) => (Object.hasOwn(data, 'instruction') ? A_WITH_INSTRUCTION : A_FLAT),
  B: () => B,
  C: () => C,
  D: () => D,
  any: () => ANY,
};

/** Issues of `data` under a platform's format, at most one per path; paths begin with `data`. */
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

function valueThat(isValid: (value: JsonValue) => boolean, wanted: string): Check {
  return (value, path, issues) => {
    if (value === undefined || !isValid(value)) issues.push({ path, message: fieldMessage(value, wanted) });
  };
}

function stringThat(isValid: (value: string) => boolean, wanted: string): Check {
  return valueThat((value) => typeof value === 'string' && isValid(value), wanted);
}

function stringOr(checkString: Check, other: Check): Check {
  return (value, path, issues) => (typeof value === 'string' ? checkString : other)(value, path, issues);
}

function optional(check: Check): Check {
  return (value, path, issues) => {
    if (value !== undefined) check(value, path, issues);
  };
}
