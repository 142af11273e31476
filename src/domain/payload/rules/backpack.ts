import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonStep, type JsonValue, jsonPath, ownMember } from '../../model/json.ts';
import type { SignedContent } from '../../model/payload.ts';
import { fieldMessage, invalid, textPayload } from '../payload-outcome.ts';
import { renderQuery } from '../request-parts.ts';
import { type RuleModule, readAs } from '../rule-module.ts';
import { type Spellings, UniqueNames } from '../signed/signed-value.ts';

/** Parameters of one order each, and their paths in `data`. */
type ParameterSets = readonly (readonly [steps: readonly JsonStep[], parameters: JsonValue])[];

/** Limits growth: the instruction is repeated before each order. */
const MAX_ORDERS = 1000;

/** Names that the rule writes itself: as parameters they would be ambiguous. */
const RESERVED_NAMES = ['instruction', 'timestamp', 'window'];

const schema = z.strictObject({ rule: z.literal('backpack') });

/**
 * Rule `backpack`: `instruction=…&`, the parameters sorted by name, `&timestamp=…&window=…`, not
 * encoded, as Backpack Exchange signs. `data` is `{instruction, params, timestamp, window}`, or has
 * `orders` in place of `params`:
 *
 * - `instruction`: the endpoint's, letters and digits, such as `orderExecute`
 * - `params`: an object of strings, numbers and booleans; absent for endpoints without parameters
 * - `orders`: 1 to 1000 such objects; the instruction is repeated before each
 * - `timestamp`: milliseconds since 1970-01-01T00:00:00Z, an integer of 13 digits; `window`:
 *   milliseconds, a positive integer
 *
 * Parameters named instruction, timestamp or window, `&` in a value and `&` or `=` in a name are
 * rejected as ambiguous. By Backpack's design these sign alike: `1` and `"1"`; absent and empty
 * `params`; one element of `orders` and the same `params`.
 *
 * @see https://docs.backpack.exchange/#section/Authentication/Signing-requests
 * @example `{"instruction": "orderCancel", "params": {"symbol": "BTC_USDT", "orderId": 28},
 *   "timestamp": 1614550000000, "window": 5000}` signs the 86 bytes
 *   `instruction=orderCancel&orderId=28&symbol=BTC_USDT&timestamp=1614550000000&window=5000`
 */
export const backpack: RuleModule<typeof schema> = {
  schema,
  members: () => ['instruction', 'params', 'orders', 'timestamp', 'window'],
  encodedWhenSent: () => ['query'],
  build: (data) => {
    const instruction = ownMember(data, 'instruction');
    if (typeof instruction !== 'string' || !/^[A-Za-z][A-Za-z0-9]{0,63}$/.test(instruction)) {
      return invalid(
        'data.instruction',
        fieldMessage(
          instruction,
          "must be the endpoint's instruction: 1 to 64 letters and digits, such as orderExecute",
        ),
      );
    }
    const queries = readParameterSets(data).map(([steps, parameters]) => renderParameters(steps, parameters));
    const timestamp = ownMember(data, 'timestamp');
    if (typeof timestamp !== 'number' || !/^[1-9]\d{12}$/.test(JSON.stringify(timestamp))) {
      return invalid(
        'data.timestamp',
        fieldMessage(timestamp, 'must be the milliseconds since 1970-01-01T00:00:00Z, an integer of 13 digits'),
      );
    }
    const window = ownMember(data, 'window');
    if (typeof window !== 'number' || !Number.isInteger(window) || window < 1) {
      return invalid('data.window', fieldMessage(window, 'must be a positive integer, in milliseconds'));
    }
    const orders = queries.map((query) => `instruction=${instruction}${query === '' ? '' : `&${query}`}`).join('&');
    const [query = ''] = queries;
    const members = { instruction, window: String(window) };
    return textPayload(`${orders}&timestamp=${timestamp}&window=${window}`, {
      timestamp: String(timestamp),
      ...(Object.hasOwn(data, 'orders') ? { data: { ...members, orders } } : { query, data: members }),
    });
  },
  // `params` where there is one set of parameters; `orders` has all sets.
  ...readAs(
    {
      instruction: 'string',
      params: 'map<string, string>',
      orders: 'list<dyn>',
      timestamp: 'string',
      window: 'string',
    },
    ({ text }, { spellings }) => readText(text, spellings),
  ),
};

function readParameterSets(data: JsonObject): ParameterSets {
  const params = ownMember(data, 'params');
  const orders = ownMember(data, 'orders');
  if (orders === undefined) return [[['params'], params === undefined ? {} : params]];
  if (params !== undefined) {
    return invalid('data.orders', 'must be absent if data.params is present: only one of the two is signed');
  }
  if (!Array.isArray(orders) || orders.length === 0 || orders.length > MAX_ORDERS) {
    return invalid('data.orders', `must be an array of 1 to ${MAX_ORDERS} objects`);
  }
  return orders.map((order: JsonValue, index) => [['orders', index], order]);
}

function renderParameters(steps: readonly JsonStep[], parameters: JsonValue): string {
  if (!isJsonObject(parameters))
    return invalid(jsonPath('data', steps), 'must be an object with the parameters to sign');
  const reserved = RESERVED_NAMES.find((name) => Object.hasOwn(parameters, name));
  if (reserved !== undefined) {
    return invalid(jsonPath('data', [...steps, reserved]), 'must not be a parameter: send it as a field of data');
  }
  return renderQuery(steps, parameters, { sort: true, encode: 'none' });
}

/**
 * Decodes the signed text: `instruction=…` and parameters, once for each set, then timestamp and
 * window. Nothing for a set whose names are not {@link UniqueNames}.
 */
function readText(text: string, spellings: Spellings): SignedContent {
  const pairs = text.split('&').map(toPair);
  const [timestamp, window] = pairs.splice(-2).map(([, value]) => value);
  const orders: Map<string, string>[] = [];
  let names = new UniqueNames(spellings);
  for (const [name, value] of pairs) {
    if (name === 'instruction') {
      orders.push(new Map());
      names = new UniqueNames(spellings);
    } else if (names.add(name)) orders.at(-1)?.set(name, value);
    else return {};
  }
  const [[, instruction] = ['', '']] = pairs;
  const [params] = orders;
  return {
    instruction,
    orders,
    timestamp: timestamp ?? '',
    window: window ?? '',
    ...(params === undefined || orders.length > 1 ? {} : { params }),
  };
}

function toPair(text: string): readonly [name: string, value: string] {
  const equals = text.indexOf('=');
  return [text.slice(0, equals), text.slice(equals + 1)];
}
