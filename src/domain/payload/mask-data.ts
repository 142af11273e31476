import type { DataFormat } from '../model/data-format.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import { isJsonObject } from './json-object.ts';

/** What stands on an audit record in place of a value that must not. */
export const MASKED = '[masked]';

/** Stands for every member whose name the format does not know: the name itself may be a secret. */
export const OTHER_MEMBERS = '[other]';

/** `shown`: short plain values; `number`: numbers; `target`: short plain texts without the query of a request target; `masked`: never. */
type Visibility = 'shown' | 'number' | 'target' | 'masked';

type Fields = { readonly [name: string]: Visibility };

type Shape = { readonly [name: string]: Visibility | Fields };

const ORDER_A: Fields = { type: 'shown', market: 'shown', side: 'shown', amount: 'masked', price: 'masked' };

const ORDER_B: Fields = {
  action: 'shown',
  symbol: 'shown',
  price: 'masked',
  quantity: 'masked',
  timestamp: 'shown',
};

const ORDER_C: Fields = {
  symbol: 'shown',
  side: 'shown',
  type: 'shown',
  quantity: 'masked',
  price: 'masked',
  timestamp: 'shown',
};

const ORDER_D: Fields = { instId: 'shown', side: 'shown', ordType: 'shown', sz: 'masked', px: 'masked' };

const ANY_ORDER: Fields = {
  ...ORDER_A,
  ...ORDER_B,
  ...ORDER_C,
  ...ORDER_D,
  method: 'shown',
  path: 'target',
  endpoint: 'target',
  nonce: 'number',
};

const SHAPES: { readonly [Format in DataFormat]: Shape } = {
  A: { instruction: ORDER_A, nonce: 'number', ...ORDER_A },
  B: { message: ORDER_B },
  C: { method: 'shown', endpoint: 'target', params: ORDER_C },
  D: { method: 'shown', path: 'target', timestamp: 'shown', body: ORDER_D },
  any: {
    ...ANY_ORDER,
    instruction: ANY_ORDER,
    message: ANY_ORDER,
    params: ANY_ORDER,
    body: ANY_ORDER,
    text: 'masked',
    hex: 'masked',
    base64: 'masked',
  },
};

const SHORT_PLAIN_TEXT = /^[\x20-\x7e]{0,128}$/;

/**
 * `data` as it may stand on an audit record: who traded what kind of thing and when, never how much, at which price, or in which words.
 *
 * Only fields that the format knows appear, in the format's own nesting. Those on its allowlist show finite numbers, booleans and texts of
 * at most 128 printable ASCII characters (a nonce only as a number); a request target loses its query (`/orders?[masked]`). Every other value is `[masked]`,
 * and all members that the format does not know are one entry `"[other]": "[masked]"`.
 *
 * The result is bounded by the format, whatever `data` is. Never throws, also for what no rule would sign.
 *
 * @example maskData('A', { instruction: { type: 'order', price: '9.5' }, apiSecret: 'x' })
 * // { instruction: { type: 'order', price: '[masked]' }, '[other]': '[masked]' }
 */
export function maskData(format: DataFormat, data: JsonObject): JsonObject {
  return maskMembers(SHAPES[format], data);
}

function maskMembers(shape: Shape, data: JsonObject): JsonObject {
  const known = Object.keys(shape).filter((name) => Object.hasOwn(data, name));
  const masked = known.map((name): [string, JsonValue] => [name, maskValue(shape[name], data[name])]);
  if (Object.keys(data).length > known.length) masked.push([OTHER_MEMBERS, MASKED]);
  return Object.fromEntries(masked);
}

function maskValue(rule: Visibility | Fields | undefined, value: JsonValue | undefined): JsonValue {
  if (typeof rule === 'object') return isJsonObject(value) ? maskMembers(rule, value) : MASKED;
  if (rule === 'shown') return shownValue(value);
  if (rule === 'number' && typeof value === 'number') return shownValue(value);
  if (rule === 'target' && typeof value === 'string') return shownTarget(value);
  return MASKED;
}

function shownValue(value: JsonValue | undefined): JsonValue {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value === 'string' && SHORT_PLAIN_TEXT.test(value)) return value;
  return MASKED;
}

function shownTarget(target: string): string {
  const queryStart = target.indexOf('?');
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  if (!SHORT_PLAIN_TEXT.test(path)) return MASKED;
  return queryStart === -1 ? path : `${path}?${MASKED}`;
}
