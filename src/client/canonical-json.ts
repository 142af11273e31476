import { isJsonObject, type JsonValue } from './json.ts';

/**
 * Canonical JSON of RFC 8785: members sorted by the UTF-16 code units of their names, no blanks, numbers and texts as ECMAScript writes them. What the rule `jcs` signs, so that a caller can tell whether a payload is the one that was asked for.
 *
 * @example canonicalJson({ b: 1, a: ['é'] }) === '{"a":["é"],"b":1}'
 */
export function canonicalJson(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`);
  return `{${members.join(',')}}`;
}
