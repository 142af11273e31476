import type { Issue } from '../model/issue.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import { isJsonObject, ownMember } from './json-object.ts';
import { type JsonStep, jsonPath } from './json-path.ts';
import { fieldMessage, invalid, type Rendered, textPayload } from './payload-outcome.ts';
import { queryText } from './query-text.ts';
import { findUnsignedPart, type SignedMembers } from './unsigned-part.ts';

/** Objects with the parameters of one order each, and where they stand in `data`. */
type ParameterSets = readonly (readonly [steps: readonly JsonStep[], parameters: JsonValue])[];

const SIGNED: SignedMembers = { signed: ['instruction', 'params', 'orders', 'timestamp', 'window'], fixed: [] };

/** The instruction stands before each of them, so that a short request could become a long text. */
const MAX_ORDERS = 1000;

/** What the rule itself writes: as a parameter it would read as the rule's. */
const OWN_NAMES = ['instruction', 'timestamp', 'window'];

/**
 * Rule `backpack`: `instruction=…&` and the parameters sorted by name, `&timestamp=…&window=…`, not encoded, as Backpack Exchange has it signed.
 * `data` is `{instruction, params, timestamp, window}`, or with `orders` in place of `params`:
 *
 * - `instruction`: the endpoint's, in letters and digits, such as `orderExecute`
 * - `params`: an object of texts, numbers and booleans; absent where the endpoint takes none
 * - `orders`: an array of 1 to 1000 such objects; the instruction stands again before each
 * - `timestamp`: milliseconds since 1970-01-01T00:00:00Z, an integer of 13 digits; `window`: milliseconds, a positive integer
 *
 * A parameter must not be named instruction, timestamp or window, and `&` in a value or `&` or `=` in a name are refused, since nothing is encoded.
 * Other fields are not signed. By Backpack's design `1` and `"1"`, no `params` and empty ones, and `orders` of one element and `params` with the same
 * parameters sign alike.
 *
 * @see https://docs.backpack.exchange/#section/Authentication/Signing-requests
 * @example `{"instruction": "orderCancel", "params": {"symbol": "BTC_USDT", "orderId": 28}, "timestamp": 1614550000000, "window": 5000}` signs the
 * 86 bytes `instruction=orderCancel&orderId=28&symbol=BTC_USDT&timestamp=1614550000000&window=5000`
 */
export function backpackPayload(data: JsonObject): Outcome<Payload, Issue> {
  const instruction = ownMember(data, 'instruction');
  if (typeof instruction !== 'string' || !/^[A-Za-z][A-Za-z0-9]{0,63}$/.test(instruction)) {
    return invalid(
      'data.instruction',
      fieldMessage(instruction, "must be the endpoint's instruction, 1 to 64 letters and digits such as orderExecute"),
    );
  }
  const unsigned = findUnsignedPart(data, SIGNED);
  if (unsigned !== undefined) return refused(unsigned);
  const given = parameterSets(data);
  if (!given.ok) return given;
  const pieces: string[] = [];
  for (const [steps, parameters] of given.value) {
    const written = parametersText(steps, parameters);
    if (!written.ok) return written;
    pieces.push(`instruction=${instruction}`, ...(written.value.text === '' ? [] : [written.value.text]));
  }
  const timestamp = ownMember(data, 'timestamp');
  if (typeof timestamp !== 'number' || !/^[1-9]\d{12}$/.test(JSON.stringify(timestamp))) {
    return invalid(
      'data.timestamp',
      fieldMessage(timestamp, 'must be the milliseconds since 1970-01-01T00:00:00Z, an integer of 13 digits'),
    );
  }
  const window = ownMember(data, 'window');
  if (typeof window !== 'number' || !Number.isInteger(window) || window < 1) {
    return invalid('data.window', fieldMessage(window, 'must be a positive integer: milliseconds'));
  }
  return textPayload([...pieces, `timestamp=${timestamp}`, `window=${window}`].join('&'));
}

function parameterSets(data: JsonObject): Outcome<ParameterSets, Issue> {
  const params = ownMember(data, 'params');
  const orders = ownMember(data, 'orders');
  if (orders === undefined) return accepted([[['params'], params === undefined ? {} : params]]);
  if (params !== undefined) {
    return invalid('data.orders', 'must be absent beside data.params: one of the two is signed');
  }
  if (!Array.isArray(orders) || orders.length === 0 || orders.length > MAX_ORDERS) {
    return invalid('data.orders', `must be an array of 1 to ${MAX_ORDERS} objects`);
  }
  return accepted(orders.map((order: JsonValue, index) => [['orders', index], order]));
}

function parametersText(steps: readonly JsonStep[], parameters: JsonValue): Outcome<Rendered, Issue> {
  if (!isJsonObject(parameters))
    return invalid(jsonPath('data', steps), 'must be an object with the parameters to sign');
  const own = OWN_NAMES.find((name) => Object.hasOwn(parameters, name));
  if (own !== undefined) {
    return invalid(jsonPath('data', [...steps, own]), 'must not be a parameter: it stands beside them in data');
  }
  return queryText(steps, parameters, { sort: true, encode: 'none' });
}
