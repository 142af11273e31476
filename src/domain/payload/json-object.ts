import type { JsonObject, JsonValue } from '../model/json.ts';

/** Whether a JSON value is an object: neither null, nor an array, nor a scalar. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The member of that name, or undefined. What every object inherits (`constructor`, `toString` …) is no member. */
export function ownMember(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
