import type { Issue } from '../model/errors.ts';
import {
  findInJson,
  findReorderedMember,
  type JsonObject,
  type JsonStep,
  type JsonValue,
  jsonPath,
  ownMember,
} from '../model/json.ts';
import { fieldMessage, invalid, refuseIf } from './payload-outcome.ts';

/** Levels of nested objects and arrays, `data` included. */
export const MAX_JSON_LEVELS = 64;

/**
 * Members and elements at any depth: each takes microseconds of the event loop. An order of
 * Hyperliquid has ten; the largest batches of other venues, of 20 orders, have some 300.
 */
export const MAX_JSON_VALUES = 16_384;

/**
 * Rejects data that no rule can sign as sent, or that readers could disagree on; gives the first
 * issue, with a path that begins with `data`. Any depth is safe for the stack.
 *
 * - nesting deeper than {@link MAX_JSON_LEVELS}, and more than {@link MAX_JSON_VALUES}
 * - numbers that no double holds, such as `1e400`, and integers beyond ±(2^53−1), which may have
 *   been rounded (RFC 8259 §6, RFC 7493 §2.2)
 * - a member named `__proto__`
 * - lone surrogates, which have no UTF-8 form (RFC 7493 §2.1, RFC 8785 §3.2.2.2)
 */
export function findJsonIssue(data: JsonObject): Issue | undefined {
  // The first is `data` itself.
  let values = -1;
  return findInJson('data', data, (value, step, depth) => {
    values += 1;
    if (values > MAX_JSON_VALUES) return `exceeds the limit of ${MAX_JSON_VALUES} members and elements in data`;
    return findNameIssue(step) ?? findValueIssue(value, depth);
  });
}

function findNameIssue(step: JsonStep | undefined): string | undefined {
  if (typeof step !== 'string') return undefined;
  if (step === '__proto__') return 'must not be named __proto__; rename the field';
  if (!step.isWellFormed()) return 'has a name that is not well-formed Unicode (lone surrogate); correct the name';
  return undefined;
}

function findValueIssue(value: JsonValue, depth: number): string | undefined {
  if (typeof value === 'string') {
    return value.isWellFormed() ? undefined : 'must be well-formed Unicode; it contains a lone surrogate';
  }
  if (typeof value === 'number') return findNumberIssue(value);
  if (typeof value === 'object' && value !== null && depth >= MAX_JSON_LEVELS) {
    return `must not be nested deeper than ${MAX_JSON_LEVELS} levels`;
  }
  return undefined;
}

function findNumberIssue(value: number): string | undefined {
  if (!Number.isFinite(value)) {
    return 'must be a number that an IEEE 754 double represents exactly; send other numbers as strings';
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return 'must be an integer within ±(2^53-1); send larger ones as strings';
  }
  return undefined;
}

/**
 * JSON as ECMAScript's JSON.stringify: no whitespace, members in the order sent, −0 as `0`. Names
 * that lose their position are rejected at any depth.
 *
 * @param steps path of the value in `data`, at which callers may also send a text; empty: all of it
 */
export function compactJson(steps: readonly JsonStep[], value: JsonValue): string {
  refuseIf(findReorderedMember(jsonPath('data', steps), value, steps.length === 0 ? 'noText' : 'orText'));
  return JSON.stringify(value);
}

/** Whether a text is that of a JSON object or array, without white space around it. */
export function isJsonText(text: string): boolean {
  if (!/^[[{]/.test(text) || !['}', ']'].includes(text.at(-1) ?? '')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Renders the one signed field of `data`: a string verbatim, an object or array by `write`; rejects
 * other values.
 */
export function messageField(data: JsonObject, field: string, write: (message: JsonValue) => string): string {
  const message = ownMember(data, field);
  if (typeof message === 'string') return message;
  if (typeof message === 'object' && message !== null) return write(message);
  return invalid(jsonPath('data', [field]), fieldMessage(message, 'must be an object, an array or a string'));
}
