import type { Issue } from '../model/issue.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { Outcome } from '../model/outcome.ts';
import type { QueryStyle } from '../model/payload-rule.ts';
import { CONTROL_CHARACTER_MESSAGE, hasControlCharacter } from './control-characters.ts';
import { type JsonStep, jsonPath } from './json-path.ts';
import { losesItsPlace, REORDERED_NAME_MESSAGE } from './member-order.ts';
import { invalid, type Rendered, serialized } from './payload-outcome.ts';

/** A pair of the text, or what is wrong with the member that it is made of. */
type Pair = { readonly text: string } | { readonly fault: string };

/**
 * The members of an object as `name=value` joined by `&`; no member gives an empty text. Values are texts, numbers (as JSON.stringify writes them)
 * and `true` or `false`: `1` and `"1"` read alike.
 *
 * - in the order sent, where a name that loses its place is refused, or by the names' UTF-16 code units
 * - encoded so that only RFC 3986 §2.3 unreserved characters stay as they are (a space is `%20`), or not encoded at all. Not encoded, a `&` in a value
 *   and a `&` or `=` in a name are refused: they would read as another parameter. So are control characters, which templates set parts apart with.
 *
 * @param steps where the object stands in `data`
 */
export function queryText(
  steps: readonly JsonStep[],
  members: JsonObject,
  style: QueryStyle,
): Outcome<Rendered, Issue> {
  const pairs: string[] = [];
  const entries = Object.entries(members);
  for (const [name, value] of style.sort ? entries.sort(byCodeUnits) : entries) {
    const pair = style.encode === 'none' ? plainPair(name, value) : encodedPair(name, value);
    if ('fault' in pair) return invalid(jsonPath('data', [...steps, name]), pair.fault);
    if (!style.sort && losesItsPlace(name)) return invalid(jsonPath('data', [...steps, name]), REORDERED_NAME_MESSAGE);
    pairs.push(pair.text);
  }
  return serialized(pairs.join('&'));
}

/**
 * Order of two members by their names, which differ: ECMAScript compares texts by UTF-16 code
 * units.
 */
function byCodeUnits([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}

function encodedPair(name: string, value: JsonValue): Pair {
  const text = scalarText(value);
  return text === undefined ? NO_SCALAR : { text: `${percentEncoded(name)}=${percentEncoded(text)}` };
}

function plainPair(name: string, value: JsonValue): Pair {
  const text = scalarText(value);
  if (text === undefined) return NO_SCALAR;
  if (/[&=]/.test(name))
    return { fault: 'must not have & or = in its name: names are signed as they are, not encoded' };
  if (hasControlCharacter(name) || hasControlCharacter(text)) return { fault: CONTROL_CHARACTER_MESSAGE };
  if (text.includes('&')) return { fault: 'must not have &: values are signed as they are, not encoded' };
  return { text: `${name}=${text}` };
}

const NO_SCALAR: Pair = { fault: 'must be a string, a number or a boolean' };

function scalarText(value: JsonValue): string | undefined {
  if (typeof value === 'object') return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function percentEncoded(text: string): string {
  // encodeURIComponent leaves five characters alone that RFC 3986 reserves.
  return encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
