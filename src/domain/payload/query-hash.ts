import type { JsonObject, JsonValue } from '../model/json.ts';
import { accepted, type Outcome } from '../model/outcome.ts';
import type { QueryStyle } from '../model/payload-rule.ts';
import type { Issue } from '../model/refusal.ts';
import { isJsonObject, jsonPath, ownMember } from '../model/text/json-path.ts';
import { invalid } from './payload-outcome.ts';
import { renderQuery } from './request-parts.ts';

const ENCODED_BRACKETS = /%5B%5D=/;

/**
 * Renders `data.params` as Upbit and Bithumb hash them: `name=value` joined by `&` in the order
 * sent, empty when absent. An array gives one pair for each element; its name ends with `[]`, which
 * stays as it is under percent-encoding.
 *
 * @see https://docs.upbit.com/kr/reference/auth
 * @example `{"market": "KRW-BTC", "states[]": ["wait", "watch"]}` gives
 *   `market=KRW-BTC&states[]=wait&states[]=watch`
 */
export function renderHashedParams(data: JsonObject, style: Pick<QueryStyle, 'encode'>): Outcome<string, Issue> {
  const params = ownMember(data, 'params');
  if (params === undefined) return accepted('');
  if (!isJsonObject(params)) return invalid('data.params', 'must be an object with the parameters, or absent');
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(params)) {
    const elements = toElements(name, value);
    if (elements === undefined) {
      const message = name.endsWith('[]')
        ? 'must have one or more elements'
        : 'must have a name that ends with [], because its value is an array';
      return invalid(jsonPath('data', ['params', name]), message);
    }
    for (const element of elements) {
      const pair = renderQuery(['params'], { [name]: element }, style);
      if (!pair.ok) return pair;
      pairs.push(name.endsWith('[]') ? pair.value.text.replace(ENCODED_BRACKETS, '[]=') : pair.value.text);
    }
  }
  return accepted(pairs.join('&'));
}

/** Undefined for an array that a query string cannot express. */
function toElements(name: string, value: JsonValue): readonly JsonValue[] | undefined {
  if (!Array.isArray(value)) return [value];
  return name.endsWith('[]') && value.length > 0 ? value : undefined;
}
