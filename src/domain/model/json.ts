import type { Issue } from './errors.ts';
import { jsonEscape } from './text/unsafe-characters.ts';

/** Any JSON value (RFC 8259). */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | JsonObject;

/** A JSON object; its own enumerable properties are the members. */
export type JsonObject = { readonly [name: string]: JsonValue };

/** The members that are not undefined. */
export function withoutUndefined<Value>(members: { readonly [name: string]: Value | undefined }) {
  return Object.fromEntries(
    Object.entries(members).filter((member): member is [string, Value] => member[1] !== undefined),
  );
}

/** Makes arrays and members read-only, as in the domain. */
export type Immutable<Type> = { readonly [Name in keyof Type]: ImmutableMember<Type[Name]> };
type ImmutableMember<Member> = Member extends (infer Item)[]
  ? readonly Immutable<Item>[]
  : Member extends object
    ? Immutable<Member>
    : Member;

/** One step into a JSON value: a member name or an element index. */
export type JsonStep = string | number;

const PLAIN_KEY = /^[A-Za-z_$][A-Za-z0-9_$]{0,63}$/;
const KEY_LIMIT = 64;
const PATH_LIMIT = 256;
const ELLIPSIS = '...';

/**
 * Formats a JSON path as at most 256 printable ASCII characters:
 * `data.instruction.price`, `data.items[3]`, `data["odd key"]`. Keys that are not identifiers
 * become JSON strings, cut after 64 characters; a longer path loses its middle.
 */
export function jsonPath(root: string, steps: readonly JsonStep[]): string {
  const path = root + steps.map(formatStep).join('');
  if (path.length <= PATH_LIMIT) return path;
  const half = (PATH_LIMIT - ELLIPSIS.length) >> 1;
  return path.slice(0, half) + ELLIPSIS + path.slice(-half);
}

function formatStep(step: JsonStep): string {
  if (typeof step === 'number') return `[${step}]`;
  if (PLAIN_KEY.test(step)) return `.${step}`;
  const shown = step.length <= KEY_LIMIT ? step : step.slice(0, KEY_LIMIT) + ELLIPSIS;
  return `[${JSON.stringify(shown).replace(/[^\x20-\x7e]/g, jsonEscape)}]`;
}

/** Whether a JSON value is an object, not null, an array or a scalar. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own member, or undefined; never what objects inherit (`constructor`, `toString` …). */
export function ownMember(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/**
 * Checks one value of a document: what is wrong with it, or undefined.
 *
 * @param step member name or index; undefined for the document itself
 * @param depth objects and arrays around the value: 0 for the document itself
 */
export type Inspection = (value: JsonValue, step: JsonStep | undefined, depth: number) => string | undefined;

interface InvalidValue {
  readonly message: string;
  /** From the searched value down to the invalid one. */
  readonly steps: readonly JsonStep[];
}

/**
 * The first issue of a document in the order sent, parents before children. Children of an invalid
 * value are skipped, so that an inspection can bound the recursion.
 *
 * @param root name of the document in the issue's path
 */
export function findInJson(root: string, document: JsonValue, inspect: Inspection): Issue | undefined {
  const found = findInvalid(document, undefined, 0, inspect);
  return found && { path: jsonPath(root, found.steps), message: found.message };
}

function findInvalid(
  value: JsonValue,
  step: JsonStep | undefined,
  depth: number,
  inspect: Inspection,
): InvalidValue | undefined {
  const message = inspect(value, step, depth);
  if (message !== undefined) return { message, steps: [] };
  if (value === null || typeof value !== 'object') return undefined;
  for (const childStep of getSteps(value)) {
    const child = (value as Readonly<Record<JsonStep, JsonValue>>)[childStep] as JsonValue;
    const found = findInvalid(child, childStep, depth + 1, inspect);
    if (found !== undefined) return { message: found.message, steps: [childStep, ...found.steps] };
  }
  return undefined;
}

function getSteps(value: JsonObject | readonly JsonValue[]): Iterable<JsonStep> {
  return isJsonObject(value) ? Object.keys(value) : value.keys();
}

/**
 * Messages about a member whose name loses its position: where callers may send a text in place of
 * the object, and where they may not.
 */
export const REORDERED_NAME_MESSAGES = {
  orText:
    'has an integer as its name, so its position in the order sent is lost; rename it, or send the text to sign as a string',
  noText:
    'has an integer as its name, so its position in the order sent is lost; rename it, as the rule of this platform takes no text in place of the object',
} as const;

/** See {@link REORDERED_NAME_MESSAGES}. */
export type ReorderedNameRemedy = keyof typeof REORDERED_NAME_MESSAGES;

const MAX_ARRAY_INDEX = 2 ** 32 - 2;

/**
 * Whether JSON.parse moves a member of this name: objects list canonical array indexes
 * (`0` to `4294967294`) first and ascending (ECMAScript, OrdinaryOwnPropertyKeys).
 */
export function isReordered(name: string): boolean {
  return /^(?:0|[1-9][0-9]{0,9})$/.test(name) && Number(name) <= MAX_ARRAY_INDEX;
}

/**
 * The first member whose name loses its position, so that the order sent is unknown.
 *
 * @param root name of `value` in the issue's path
 */
export function findReorderedMember(root: string, value: JsonValue, remedy: ReorderedNameRemedy): Issue | undefined {
  return findInJson(root, value, (_value, step) =>
    typeof step === 'string' && isReordered(step) ? REORDERED_NAME_MESSAGES[remedy] : undefined,
  );
}
