import { isJsonObject, type JsonObject, jsonPath, ownMember } from '../model/json.ts';
import { invalid } from './payload-outcome.ts';
import { renderQuery } from './request-parts.ts';
import type { QueryStyle } from './rule-options.ts';

/**
 * Renders `data.params` as Upbit and Bithumb hash them: `name=value` joined by `&` in the order
 * sent, empty when absent. An array gives one pair for each element; its name ends with `[]`, which
 * stays as it is under percent-encoding.
 *
 * @see https://docs.upbit.com/kr/reference/auth
 * @example `{"market": "KRW-BTC", "states[]": ["wait", "watch"]}` gives
 *   `market=KRW-BTC&states[]=wait&states[]=watch`
 */
export function renderHashedParams(data: JsonObject, style: Pick<QueryStyle, 'encode'>): string {
  const params = ownMember(data, 'params');
  if (params === undefined) return '';
  if (!isJsonObject(params)) return invalid('data.params', 'must be an object with the parameters, or absent');
  const misnamed = Object.keys(params).find((name) => Array.isArray(params[name]) && !name.endsWith('[]'));
  if (misnamed !== undefined) {
    return invalid(
      jsonPath('data', ['params', misnamed]),
      'must have a name that ends with [], because its value is an array',
    );
  }
  const query = renderQuery(['params'], params, style, { repeats: true });
  return style.encode === 'none' ? query : query.replaceAll('%5B%5D=', '[]=');
}
