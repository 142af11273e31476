import { randomBytes } from 'node:crypto';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import type { PayloadRuleName } from '../../src/domain/model/payload-rule.ts';

/** Makes hostile data, where the service may keep results with other values each time. */
export interface HostileData {
  /** What is hostile about it. */
  readonly name: string;
  readonly make: () => JsonObject;
}

/** Values of about so many bytes of JSON, each slow for some code. */
type Shapes = { readonly [name: string]: (bytes: number) => JsonValue };

const TEXTS: Shapes = {
  quotes: (bytes) => repeat('"', bytes),
  apostrophes: (bytes) => repeat("'(", bytes),
  'other letters': (bytes) => repeat('é', bytes),
  hex: (bytes) => `0x${repeat('0a', bytes - 4)}`,
};

/** Members whose values a limit on values still accepts. */
const SOME_MEMBERS = 16_000;

const OBJECTS: Shapes = {
  members: (bytes) => members(Math.floor(bytes / 11)),
  'members and a text': (bytes) => ({ ...members(SOME_MEMBERS), rest: repeat('x', bytes - 11 * SOME_MEMBERS) }),
  'long names': (bytes) => Object.fromEntries(times(10, (index) => ['a'.repeat(bytes / 10 - 10) + index, 0])),
  'empty arrays': (bytes) => ({ a: times(Math.floor(bytes / 3), () => []) }),
  'deep arrays': (bytes) => ({ a: times(Math.floor(bytes / 114), deepArray) }),
};

const TIME = 1_700_000_000_000;
const ISO_TIME = '2026-11-28T09:00:00.000Z';
const ORDER = { timestamp: ISO_TIME, method: 'POST', path: '/a' };
const ADDRESS = `0x${'0'.repeat(40)}`;

/** Data that a rule signs, and the members to replace by hostile values. */
type Places = readonly (readonly [data: JsonObject, texts: readonly string[], objects: readonly string[]])[];

const PLACES: { readonly [Name in PayloadRuleName]: Places } = {
  jcs: [[{}, ['body'], ['body']]],
  json: [[{}, ['body', 'params'], ['body', 'params']]],
  raw: [[{}, ['text', 'hex', 'base64'], []]],
  query: [
    [{}, ['params.a', 'body.a'], ['params', 'body']],
    [{ ...ORDER, nonce: '1' }, ['params.a', 'path'], ['params']],
    [{ nonce: '1' }, ['params.a'], ['params']],
  ],
  prehash: [
    [ORDER, ['body', 'body.a', 'path'], ['body']],
    [{ ...ORDER, body: {} }, ['query', 'query.a'], ['query']],
    [{ method: 'POST', path: '/a', nonce: '1' }, ['query.a', 'body.a'], ['query', 'body']],
    [{ timestamp: ISO_TIME }, ['query.a', 'body.a'], ['query', 'body']],
  ],
  kraken: [
    [{ path: '/0/a', body: { nonce: '1' } }, ['body.a', 'path'], []],
    [{ path: '/0/a', nonce: '1' }, ['body'], []],
  ],
  backpack: [
    [{ instruction: 'a', timestamp: TIME, window: 5000 }, ['params.a'], ['params']],
    [{ instruction: 'a', timestamp: TIME, window: 5000, orders: [{ a: 1 }] }, [], ['orders.0']],
  ],
  'typed-data': [
    [typedData({ M: [{ name: 'a', type: 'string' }] }, { a: '' }), ['message.a', 'domain.name'], ['types', 'message']],
    [typedData({ M: [{ name: 'a', type: 'bytes' }] }, { a: '' }), ['message.a'], []],
  ],
  'hyperliquid-l1': [[{ action: { type: 'order' }, nonce: TIME }, ['action.a'], ['action.a', 'action']]],
  'concat-sorted': [[{ method: 'private/a', id: 1, nonce: TIME }, ['params.a'], ['params']]],
  'kraken-futures': [[{ path: '/api/a' }, ['query.a', 'body', 'path'], ['query', 'body']]],
  'starknet-typed-data': [
    [starknetData('string', 'a', 1), ['message.a', 'domain.name'], ['types', 'message']],
    [starknetData('selector', 'a'), ['message.a'], []],
  ],
  'hyperliquid-multi-sig': [
    [
      {
        action: {
          ...{ type: 'multiSig', signatureChainId: '0x66eee', signatures: [{ r: '0x1', s: '0x1', v: 27 }] },
          payload: { multiSigUser: ADDRESS, outerSigner: ADDRESS, action: { type: 'a' } },
        },
        nonce: TIME,
      },
      ['action.payload.action.a'],
      ['action.payload.action', 'action.signatures'],
    ],
  ],
  'cosmos-sign-doc': [[{}, ['signDoc'], []]],
  jwt: [
    [{ method: 'GET', path: '/a', timestamp: 1_700_000_000 }, ['nonce', 'path'], []],
    [{ nonce: '1', timestamp: TIME }, ['params.a'], ['params']],
  ],
};

/** Data whose cost is in its structure: the most that the limits of a rule accept. */
const STRUCTURES: { readonly [Name in PayloadRuleName]?: { readonly [name: string]: (bytes: number) => JsonObject } } =
  {
    'typed-data': {
      'empty structs': () => typedData({ M: [{ name: 'a', type: 'E[]' }], E: [] }, { a: times(255, () => ({})) }),
      'nested structs': () => typedData(...nestedStructs(60)),
      'longest text': () => typedData({ M: [{ name: 'a', type: 'string' }] }, { a: repeat('é', 2 * 65_536) }),
    },
    'hyperliquid-l1': {
      'longest action': () => ({
        action: { type: 'x', ...members(SOME_MEMBERS), a: repeat('é', 150_000) },
        nonce: TIME,
      }),
    },
    'starknet-typed-data': {
      'felts of revision 0': () => starknetData('felt*', times(28, felt)),
      'felts of revision 1': () => starknetData('felt*', times(251, felt), 1),
      'strings of revision 1': () =>
        starknetData(
          'string*',
          times(6, () => randomBytes(512).toString('hex')),
          1,
        ),
    },
    'cosmos-sign-doc': {
      coins: (bytes) => ({ signDoc: cosmosTransaction((bytes * 3) / 8 - 100) }),
      'coins within the limit': (bytes) => ({ signDoc: cosmosTransaction(Math.min(8000, bytes / 4)) }),
    },
  };

/** Data of about so many bytes, by kind; some configurations of a rule accept no size. */
export type HostileGroup = (bytes: number) => readonly HostileData[];

/** Hostile data for a rule. */
export function hostileData(rule: PayloadRuleName): readonly HostileGroup[] {
  const structures = Object.entries(STRUCTURES[rule] ?? {});
  const places = PLACES[rule].flatMap(([data, texts, objects]) => [
    ...objects.map((path) => toGroup(data, path, OBJECTS)),
    ...texts.map((path) => toGroup(data, path, TEXTS)),
  ]);
  return [(bytes) => structures.map(([name, make]) => ({ name, make: () => make(bytes) })), ...places];
}

function toGroup(data: JsonObject, path: string, shapes: Shapes): HostileGroup {
  return (bytes) =>
    Object.entries(shapes).map(([name, make]) => {
      const hostile = replaceAt(data, path.split('.'), make(bytes)) as JsonObject;
      return { name: `${name} in ${path}`, make: () => hostile };
    });
}

function replaceAt(value: JsonValue, [name, ...rest]: readonly string[], replacement: JsonValue): JsonValue {
  if (name === undefined) return replacement;
  const inside = replaceAt((value as JsonObject)[name] ?? {}, rest, replacement);
  return Array.isArray(value) ? value.with(Number(name), inside) : { ...(value as JsonObject), [name]: inside };
}

function times<Value extends JsonValue>(count: number, make: (index: number) => Value): readonly Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** @param bytes of JSON */
function repeat(part: string, bytes: number): string {
  const size = Buffer.byteLength(JSON.stringify(part)) - 2;
  return part.repeat(Math.max(1, Math.floor(bytes / size)));
}

function members(count: number): JsonObject {
  return Object.fromEntries(times(count, (index) => [`a${index.toString(36)}`, 0]));
}

function deepArray(): JsonValue {
  return times(55, () => 0).reduce<JsonValue>((inner) => [inner], []);
}

function typedData(types: JsonObject, message: JsonObject): JsonObject {
  return { domain: { name: 'T' }, types, primaryType: 'M', message };
}

/** Structs in each other, whose types refer to all types below. */
function nestedStructs(depth: number): [types: JsonObject, message: JsonObject] {
  const name = 'a'.repeat(100);
  const types = Object.fromEntries(
    times(depth, (level) => [
      level === 0 ? 'M' : `N${level}`,
      level === depth - 1 ? [] : [{ name, type: `N${level + 1}` }],
    ]),
  );
  return [types, times(depth - 1, () => 0).reduce<JsonObject>((inner) => ({ [name]: inner }), {})];
}

/** A large field element that no other request has. */
function felt(): string {
  return `0x${randomBytes(31).toString('hex')}`;
}

function starknetData(type: string, value: JsonValue, revision: 0 | 1 = 0): JsonObject {
  const domain: JsonObject = { name: 'T', version: '1', chainId: 'X', ...(revision === 1 ? { revision: 1 } : {}) };
  const fields = Object.keys(domain).map((name) => ({ name, type: revision === 0 ? 'felt' : 'shortstring' }));
  const domainType = revision === 0 ? 'StarkNetDomain' : 'StarknetDomain';
  const types = { [domainType]: fields, M: [{ name: 'a', type }] };
  return { domain, types, primaryType: 'M', message: { a: value } };
}

/** A cosmos.tx.v1beta1.SignDoc in base64, with a fee of empty coins. */
function cosmosTransaction(coins: number): string {
  const field = (number: number, ...content: readonly Uint8Array[]) => {
    const bytes = Buffer.concat(content);
    return Buffer.concat([Buffer.of(number * 8 + 2), varint(bytes.length), bytes]);
  };
  const body = field(1, field(1, Buffer.from('/a.B')));
  const signer = field(1, field(2, field(1, Buffer.of(8, 1))));
  const fee = field(2, Buffer.alloc(2 * Math.max(0, Math.floor(coins)), field(1)));
  return Buffer.concat([field(1, body), field(2, signer, fee), field(3, Buffer.from('test'))]).toString('base64');
}

function varint(value: number): Buffer {
  return value < 128
    ? Buffer.of(value)
    : Buffer.concat([Buffer.of((value % 128) + 128), varint(Math.floor(value / 128))]);
}
