import type { JsonObject } from '../../../domain/model/json.ts';

/** What needs no look inside. */
type Primitive = string | number | boolean | null;

/** As many as {@link loggable} shows. */
const MAX_ENTRIES = 100;

/**
 * A copy of facts that are nothing but texts, finite numbers, booleans and nulls under ordinary names, as those of each answered request are: `loggable` shows them as they are, and takes ten times as long to find that out.
 * Null for all others.
 */
export function flatFacts(facts: { readonly [name: string]: unknown }): JsonObject | null {
  try {
    if (Object.getPrototypeOf(facts) !== Object.prototype) return null;
    const names = Object.keys(facts);
    if (names.length > MAX_ENTRIES) return null;
    const copy: Record<string, Primitive> = {};
    for (const name of names) {
      const value = facts[name];
      if (!isPrimitive(value) || name === '__proto__') return null;
      copy[name] = value;
    }
    return copy;
  } catch {
    return null;
  }
}

function isPrimitive(value: unknown): value is Primitive {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return true;
  return typeof value === 'number' && Number.isFinite(value);
}
