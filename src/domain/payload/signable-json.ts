import type { Issue } from '../model/issue.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { findInJson } from './find-in-json.ts';
import type { JsonStep } from './json-path.ts';

/** How many levels of objects and arrays may stand in each other, `data` itself counted as the first. */
export const MAX_JSON_LEVELS = 64;

/**
 * What no payload rule may sign, because it can't be signed as the caller sent it, or because two readers could disagree on what it says:
 *
 * - objects and arrays nested deeper than {@link MAX_JSON_LEVELS} levels
 * - a number that no double holds: it overflowed to infinity while it was read (`1e400`), or its
 *   reader made infinity of it, and an integer beyond ±(2^53−1), which may have
 *   been rounded (RFC 8259 §6, RFC 7493 §2.2)
 * - a member named `__proto__`, which many programs take for an object's prototype
 * - a text or name with a lone surrogate, which has no UTF-8 form (RFC 7493 §2.1, RFC 8785 §3.2.2.2)
 *
 * Gives the first fault, with a path that begins with `data`. Takes any depth without overflowing the stack.
 */
export function findJsonIssue(data: JsonObject): Issue | undefined {
  return findInJson('data', data, unsignable);
}

/** Whether a text is well-formed UTF-16, so that it has a UTF-8 form. */
export function isWellFormedText(text: string): boolean {
  return text.isWellFormed();
}

function unsignable(value: JsonValue, step: JsonStep | undefined, depth: number): string | undefined {
  return nameFault(step) ?? valueFault(value, depth);
}

function nameFault(step: JsonStep | undefined): string | undefined {
  if (typeof step !== 'string') return undefined;
  if (step === '__proto__') return 'must not be named __proto__; rename the field';
  if (!isWellFormedText(step)) return 'has a name that is not well-formed Unicode (a lone surrogate); correct the name';
  return undefined;
}

function valueFault(value: JsonValue, depth: number): string | undefined {
  if (typeof value === 'string') {
    return isWellFormedText(value) ? undefined : 'must be well-formed Unicode; it holds a lone surrogate';
  }
  if (typeof value === 'number') return numberFault(value);
  if (typeof value === 'object' && value !== null && depth >= MAX_JSON_LEVELS) {
    return `must not be nested deeper than ${MAX_JSON_LEVELS} levels`;
  }
  return undefined;
}

function numberFault(value: number): string | undefined {
  if (!Number.isFinite(value)) {
    return "must be a number that an IEEE 754 double represents exactly; this one can't be: send it as a string";
  }
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    return 'must be an integer within ±(2^53-1); write a larger one as a string';
  }
  return undefined;
}
