import type { TimeSlice } from '../flow/time-slice.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';
import { canonicalJson } from '../model/text/jcs.ts';

/** A thing of two generations that differs, and the names of its fields that do. */
export interface Change<Thing, Field = string> {
  readonly before: Thing;
  readonly after: Thing;
  readonly fields: readonly Field[];
}

/** Things of two generations that differ, in configured order. */
export interface Difference<Thing> {
  readonly added: readonly Thing[];
  readonly removed: readonly Thing[];
  readonly changed: readonly Change<Thing>[];
}

/**
 * Compares two generations of things by their unique names. Things at the same index in both, as
 * most accounts are, need no lookup.
 */
export async function compareThings<Thing extends object>(
  before: readonly Thing[],
  after: readonly Thing[],
  toName: (thing: Thing) => string,
  slice: TimeSlice,
  listFields: (before: Thing, after: Thing) => readonly string[] = listChangedFields,
): Promise<Difference<Thing>> {
  const isSame = (one: Thing, other: Thing | undefined) =>
    one === other || (other !== undefined && toName(one) === toName(other));
  const moved = new Map<string, Thing>();
  await slice.forEach(before.entries(), ([index, thing]) => {
    if (!isSame(thing, after[index])) moved.set(toName(thing), thing);
  });
  const added: Thing[] = [];
  const changed: Change<Thing>[] = [];
  await slice.forEach(after.entries(), ([index, thing]) => {
    const previous = isSame(thing, before[index]) ? before[index] : moved.get(toName(thing));
    if (previous === undefined) return void added.push(thing);
    if (previous !== before[index]) moved.delete(toName(thing));
    const fields = listFields(previous, thing);
    if (fields.length > 0) changed.push({ before: previous, after: thing, fields });
  });
  return { added, removed: [...moved.values()], changed };
}

/**
 * Paths of the fields that differ; the order of members does not count.
 * @param depth levels of objects that are compared field by field: 2 names `send.origins`
 */
export function listChangedFields(before: object, after: object, depth = 1): readonly string[] {
  if (before === after) return [];
  const [left, right] = [before, after] as [Fields, Fields];
  const changed: string[] = [];
  for (const name in right) {
    const [one, other] = [left[name], right[name]];
    if (one === other || (isNested(one) && isNested(other) && canonicalJson(one) === canonicalJson(other))) continue;
    if (depth === 1 || !isJsonObject(one) || !isJsonObject(other)) changed.push(name);
    else changed.push(...listChangedFields(one, other, depth - 1).map((path) => `${name}.${path}`));
  }
  for (const name in left) if (!(name in right)) changed.push(name);
  return changed;
}

type Fields = { readonly [name: string]: JsonValue | undefined };

function isNested(value: JsonValue | undefined): value is Exclude<JsonValue, string | number | boolean> {
  return typeof value === 'object';
}
