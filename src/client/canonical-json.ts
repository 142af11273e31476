import { isJsonObject, type JsonValue } from './types.ts';

/**
 * Canonical JSON (RFC 8785), which rule `jcs` signs: members sorted by UTF-16 code units, no
 * whitespace, numbers and strings as in ECMAScript.
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

/** Limit of the service. */
const MAX_DEPTH = 64;

/**
 * Throws a TypeError that names the member where `JSON.stringify` would change the value: NaN
 * becomes null, undefined is dropped, toJSON is called.
 *
 * @param path name of the value in the error: `data`
 */
export function checkSignable(value: unknown, path: string, level = 1): void {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return;
  if (typeof value === 'number') {
    checkNumber(value, path);
    return;
  }
  if (typeof value !== 'object') throw new TypeError(`${path} is ${typeof value}, which JSON cannot represent.`);
  if (level > MAX_DEPTH) throw new TypeError(`${path} is nested deeper than ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) {
    // By index: forEach skips holes, JSON writes them as null.
    for (let index = 0; index < value.length; index += 1) checkSignable(value[index], `${path}[${index}]`, level + 1);
    return;
  }
  const prototype = Object.getPrototypeOf(value);
  const isPlain = prototype === null || Object.getPrototypeOf(prototype) === null;
  if (!isPlain || 'toJSON' in value) {
    throw new TypeError(`${path} is a class instance; pass plain objects, arrays, strings and numbers.`);
  }
  for (const [name, member] of Object.entries(value)) checkSignable(member, `${path}.${name}`, level + 1);
}

function checkNumber(value: number, path: string): void {
  if (!Number.isFinite(value)) throw new TypeError(`${path} is ${value}, which JSON cannot represent.`);
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
    throw new TypeError(`${path} is an integer beyond 2^53 - 1, which may already be rounded; pass it as a string.`);
  }
}
