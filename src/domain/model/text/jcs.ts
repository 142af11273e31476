import { isJsonObject, type JsonValue } from '../json.ts';

/** Printable ASCII that JSON.stringify does not escape. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/**
 * Canonical JSON (RFC 8785, JSON Canonicalization Scheme): no whitespace
 * ({@link https://www.rfc-editor.org/rfc/rfc8785#section-3.2.1 §3.2.1}); literals, strings and
 * numbers as ECMAScript's JSON.stringify
 * ({@link https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2 §3.2.2}); members sorted by the
 * UTF-16 code units of their names at every level
 * ({@link https://www.rfc-editor.org/rfc/rfc8785#section-3.2.3 §3.2.3}).
 *
 * @example canonicalJson({ b: 1e30, a: ['é', -0] }) === '{"a":["é",0],"b":1e+30}'
 * @param value without an issue of `findJsonIssue`
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string') return PLAIN.test(value) ? `"${value}"` : JSON.stringify(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (!isJsonObject(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  let members = '';
  // The default sort order is by UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    const comma = members === '' ? '' : ',';
    members += `${comma}${canonicalJson(name)}:${canonicalJson(value[name] as JsonValue)}`;
  }
  return `{${members}}`;
}
