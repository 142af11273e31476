import type { Issue } from '../../../domain/model/issue.ts';
import type { JsonObject, JsonValue } from '../../../domain/model/json.ts';
import { isJsonObject, ownMember } from '../../../domain/payload/json-object.ts';
import { type JsonStep, jsonPath } from '../../../domain/payload/json-path.ts';
import { ATOMIC_TYPES } from './atomic-types.ts';
import type { FieldType } from './field-type.ts';
import type { StructField, StructTypes } from './struct-types.ts';

/** Objects, arrays and what they hold, together. Each costs a hash or more, and nothing else is served meanwhile. */
const MAX_VALUES = 256;

/** An issue on its way up. */
interface Fault {
  readonly message: string;
  /** From the value that was looked at down to the faulty one. */
  readonly steps: readonly JsonStep[];
}

/** The struct types, and how many values may still come. */
interface Search {
  readonly structs: StructTypes;
  left: number;
}

/**
 * The first value of a struct that is not of its type: a member that the type does not name, one that is missing, an array of another length, a value
 * outside of its type; or one value too many. Parents before children, members in the order of the type.
 *
 * @param root name of `value` in the issue's path
 */
export function findValueIssue(
  root: string,
  value: JsonObject,
  fields: readonly StructField[],
  structs: StructTypes,
): Issue | undefined {
  const fault = findInStruct(value, fields, { structs, left: MAX_VALUES });
  return fault && { path: jsonPath(root, fault.steps), message: fault.message };
}

function findInStruct(value: JsonValue, fields: readonly StructField[], search: Search): Fault | undefined {
  if (!isJsonObject(value)) return faultHere('must be an object');
  const named = new Set(fields.map(({ name }) => name));
  const unknown = Object.keys(value).find((name) => !named.has(name));
  if (unknown !== undefined) return faultBelow(unknown, faultHere('is not named by the type of its object'));
  for (const { name, type } of fields) {
    const member = ownMember(value, name);
    if (member === undefined) return faultBelow(name, faultHere('is missing; the type of its object names it'));
    const fault = findInMember(member, type, search);
    if (fault !== undefined) return faultBelow(name, fault);
  }
  return undefined;
}

function findInMember(value: JsonValue, { base, lengths }: FieldType, search: Search): Fault | undefined {
  search.left -= 1;
  if (search.left < 0) return faultHere(`is one value too many; a message may have ${MAX_VALUES}`);
  if (lengths.length > 0) return findInArray(value, { base, lengths }, search);
  const atomic = ATOMIC_TYPES.get(base);
  if (atomic === undefined) return findInStruct(value, search.structs.get(base) ?? [], search);
  return atomic.accepts(value) ? undefined : faultHere(atomic.wanted);
}

function findInArray(value: JsonValue, { base, lengths }: FieldType, search: Search): Fault | undefined {
  const length = lengths.at(-1) ?? null;
  if (!Array.isArray(value)) return faultHere('must be an array');
  if (length !== null && value.length !== length) return faultHere(`must be an array of ${length} elements`);
  const elementType = { base, lengths: lengths.slice(0, -1) };
  for (const [index, element] of value.entries()) {
    const fault = findInMember(element, elementType, search);
    if (fault !== undefined) return faultBelow(index, fault);
  }
  return undefined;
}

function faultHere(message: string): Fault {
  return { message, steps: [] };
}

function faultBelow(step: JsonStep, { message, steps }: Fault): Fault {
  return { message, steps: [step, ...steps] };
}
