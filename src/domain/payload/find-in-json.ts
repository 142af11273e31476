import type { Issue } from '../model/issue.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { isJsonObject } from './json-object.ts';
import { type JsonStep, jsonPath } from './json-path.ts';

/**
 * Looks at one value of a document: what is wrong with it, or undefined.
 *
 * @param step name or index under which the value stands, undefined for the document itself
 * @param depth how many objects and arrays hold the value: 0 for the document itself
 */
export type Inspection = (value: JsonValue, step: JsonStep | undefined, depth: number) => string | undefined;

interface Fault {
  readonly message: string;
  /** From the value that was searched down to the faulty one. */
  readonly steps: readonly JsonStep[];
}

/**
 * The first fault of a document in the order in which it was sent, parents before children. Below a faulty value nothing is looked at,
 * so an inspection that refuses a depth bounds the recursion.
 *
 * @param root name of the document in the issue's path
 */
export function findInJson(root: string, document: JsonValue, inspect: Inspection): Issue | undefined {
  const fault = findFault(document, undefined, 0, inspect);
  return fault && { path: jsonPath(root, fault.steps), message: fault.message };
}

function findFault(
  value: JsonValue,
  step: JsonStep | undefined,
  depth: number,
  inspect: Inspection,
): Fault | undefined {
  const message = inspect(value, step, depth);
  if (message !== undefined) return { message, steps: [] };
  if (value === null || typeof value !== 'object') return undefined;
  for (const childStep of stepsOf(value)) {
    const child = (value as Readonly<Record<JsonStep, JsonValue>>)[childStep] as JsonValue;
    const fault = findFault(child, childStep, depth + 1, inspect);
    if (fault !== undefined) return { message: fault.message, steps: [childStep, ...fault.steps] };
  }
  return undefined;
}

function stepsOf(value: JsonObject | readonly JsonValue[]): Iterable<JsonStep> {
  return isJsonObject(value) ? Object.keys(value) : value.keys();
}
