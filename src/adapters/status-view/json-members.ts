import { isJsonObject, type JsonValue } from '../../domain/model/json.ts';
import { printable } from '../../domain/model/text/unsafe-characters.ts';

/** A member of a response of any version; undefined if it or a parent is missing. */
export function member(value: JsonValue | undefined, ...path: readonly string[]): JsonValue | undefined {
  return path.reduce<JsonValue | undefined>((parent, name) => (isJsonObject(parent) ? parent[name] : undefined), value);
}

/** A text, made printable: the service may be hostile. Null if the member is missing or no text. */
export function text(value: JsonValue | undefined, ...path: readonly string[]): string | null {
  const found = member(value, ...path);
  return typeof found === 'string' ? printable(found) : null;
}

/** A text that is a time, without milliseconds. */
export function time(value: JsonValue | undefined, ...path: readonly string[]): string | null {
  return text(value, ...path)?.replace(/\.\d+(?=Z$)/, '') ?? null;
}

/** A number; null if the member is missing or no number. */
export function number(value: JsonValue | undefined, ...path: readonly string[]): number | null {
  const found = member(value, ...path);
  return typeof found === 'number' ? found : null;
}

/** An array; empty if the member is missing or no array. */
export function list(value: JsonValue | undefined, ...path: readonly string[]): readonly JsonValue[] {
  const found = member(value, ...path);
  return isArray(found) ? found : [];
}

/** The numbers of an array. */
export function numbers(value: JsonValue | undefined, ...path: readonly string[]): readonly number[] {
  return list(value, ...path).filter((item) => typeof item === 'number');
}

function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
