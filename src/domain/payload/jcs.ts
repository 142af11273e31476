import type { JsonValue } from '../model/json.ts';
import { isJsonObject } from './json-object.ts';
import { isPlainText } from './plain-text.ts';

/**
 * Canonical JSON text of RFC 8785 (JSON Canonicalization Scheme); its UTF-8 form is what gets signed.
 *
 * - no whitespace between tokens: {@link https://www.rfc-editor.org/rfc/rfc8785#section-3.2.1 §3.2.1}
 * - literals, strings and numbers as ECMAScript's JSON.stringify writes them, −0 as `0`:
 *   {@link https://www.rfc-editor.org/rfc/rfc8785#section-3.2.2 §3.2.2}
 * - members sorted by the UTF-16 code units of their names, at every level; arrays keep their order:
 *   {@link https://www.rfc-editor.org/rfc/rfc8785#section-3.2.3 §3.2.3}
 *
 * @example canonicalJson({ b: 1e30, a: ['é', -0] }) === '{"a":["é",0],"b":1e+30}'
 *
 * @param value what `findJsonIssue` has nothing against: finite numbers, well-formed texts, a bounded depth
 */
export function canonicalJson(value: JsonValue): string {
  if (typeof value === 'string') return textJson(value);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (!isJsonObject(value)) return `[${value.map((item) => canonicalJson(item)).join(',')}]`;
  let members = '';
  // Without a comparison of its own, sort goes by UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    const comma = members === '' ? '' : ',';
    members += `${comma}${textJson(name)}:${canonicalJson(value[name] as JsonValue)}`;
  }
  return `{${members}}`;
}

function textJson(text: string): string {
  return isPlainText(text) ? `"${text}"` : JSON.stringify(text);
}
