import { z } from 'zod';

/** HTTP methods that formats C and D take, in upper or lower case. */
const HTTP_METHODS = [
  ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
  ...['get', 'post', 'put', 'patch', 'delete', 'head', 'options'],
] as const;

/** A named field; it may be empty, as the price of a market order is. */
const text = z.string(wanted('a string'));

const milliseconds = z
  .int(wanted('an integer: milliseconds since 1970-01-01T00:00:00Z'))
  .min(0, wanted('an integer: milliseconds since 1970-01-01T00:00:00Z'));

const method = z.enum(
  HTTP_METHODS,
  wanted('one of GET, POST, PUT, PATCH, DELETE, HEAD and OPTIONS, in upper or lower case'),
);

const requestPath = z
  .string(wanted('a string that begins with /'))
  .startsWith('/', wanted('a string that begins with /'));

const isoMilliseconds = z.iso.datetime({
  precision: 3,
  ...wanted('a date and time of ISO 8601 in UTC with milliseconds, as in 2026-11-20T09:00:00.000Z'),
});

const orderOfA = { type: text, market: text, side: text, amount: text, price: text };

/** Format A with its order in `instruction`, and a nonce beside it. */
export const formatAInstruction = z.looseObject({
  instruction: z.looseObject(orderOfA, wanted('an object with type, market, side, amount and price')),
  nonce: milliseconds,
});

/** Format A with the order's fields at the top, with or without a nonce. */
export const formatAFlat = z.looseObject({ ...orderOfA, nonce: milliseconds.optional() });

/** The object form of format B's `message`. */
const messageOfB = z.looseObject({ action: text, symbol: text, price: text, quantity: text, timestamp: milliseconds });

/** The text form of format B's `message`. */
const messageText = z.string().min(1, wanted('a non-empty string'));

/** Format B: a message, as an object or as a text that is not empty. */
export const formatB = z.looseObject({
  message: z.union(
    [messageOfB, messageText],
    wanted('an object with action, symbol, price, quantity and timestamp, or a non-empty string'),
  ),
});

/** Format C: a request whose parameters get signed. */
export const formatC = z.looseObject({
  method,
  endpoint: requestPath,
  params: z.looseObject(
    { symbol: text, side: text, type: text, quantity: text, price: text, timestamp: milliseconds },
    wanted('an object with symbol, side, type, quantity, price and timestamp'),
  ),
});

/** The object form of format D's `body`. */
const bodyOfD = z.looseObject({ instId: text, side: text, ordType: text, sz: text, px: text });

/** Format D: a request with its timestamp; without a body, with a text or with an order. */
export const formatD = z.looseObject({
  method,
  path: requestPath,
  timestamp: isoMilliseconds,
  body: z
    .union([bodyOfD, z.string()], wanted('an object with instId, side, ordType, sz and px, a string, or absent'))
    .optional(),
});

/** Format any: every object. */
export const formatAny = z.looseObject({});

/** Says what a value must be, and that it is missing where it is; never the value. */
function wanted(what: string) {
  return {
    error: (issue: { readonly input?: unknown }) =>
      issue.input === undefined ? `is missing; it must be ${what}` : `must be ${what}`,
  };
}
