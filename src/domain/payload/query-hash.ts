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
export function renderHashedParams(data: JsonObject, style: Style): Outcome<string, Issue> {
  const params = ownMember(data, 'params');
  if (params === undefined) return accepted('');
  if (!isJsonObject(params)) return invalid('data.params', 'must be an object with the parameters, or absent');
  const pairs: string[] = [];
  for (const [name, value] of Object.entries(params)) {
    const rendered = Array.isArray(value) ? renderArray(name, value, style) : renderScalar(name, value, style);
    if (!rendered.ok) return rendered;
    pairs.push(...rendered.value);
  }
  return accepted(pairs.join('&'));
}

type Style = Pick<QueryStyle, 'encode'>;

function renderArray(name: string, values: readonly JsonValue[], style: Style): Outcome<readonly string[], Issue> {
  const steps = ['params', name];
  if (!name.endsWith('[]')) {
    return invalid(jsonPath('data', steps), 'must have a name that ends with [], because its value is an array');
  }
  if (values.length === 0) return invalid(jsonPath('data', steps), 'must have one or more elements');
  // The name alone first: an issue of it has the path of the array.
  const alone = renderPair(name, '', style);
  if (!alone.ok) return alone;
  const pairs: string[] = [];
  for (const [index, value] of values.entries()) {
    const path = jsonPath('data', [...steps, index]);
    if (!isScalar(value))
      return invalid(path, 'must be a string, a number or a boolean, like each element of an array');
    const pair = renderPair(name, value, style);
    if (!pair.ok) return invalid(path, pair.refusal.message);
    pairs.push(pair.value);
  }
  return accepted(pairs);
}

function renderScalar(name: string, value: JsonValue, style: Style): Outcome<readonly string[], Issue> {
  if (!isScalar(value)) {
    return invalid(
      jsonPath('data', ['params', name]),
      'must be a string, a number, a boolean, or an array of these with a name that ends with []',
    );
  }
  const pair = renderPair(name, value, style);
  return pair.ok ? accepted([pair.value]) : pair;
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object';
}

function renderPair(name: string, value: JsonValue, style: Style): Outcome<string, Issue> {
  const pair = renderQuery(['params'], { [name]: value }, style);
  if (!pair.ok) return pair;
  return accepted(name.endsWith('[]') ? pair.value.text.replace(ENCODED_BRACKETS, '[]=') : pair.value.text);
}
