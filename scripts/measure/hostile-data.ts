import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';

import type { KnownRule, PayloadRuleName } from '../../src/domain/payload/payload-rules.ts';
import { bytesField } from '../../tests/contracts/cosmos-sign-doc.ts';
import { plausibleData } from '../../tests/property/request-arbitraries.ts';

/** Makes hostile data, where the service may keep results with other values each time. */
export interface HostileData {
  /** What is hostile about it. */
  readonly name: string;
  readonly make: () => JsonObject;
}

/** One place of data that a rule mostly accepts, with hostile values in it. */
export interface HostileGroup {
  /** The same for groups that differ in the rest of the data alone. */
  readonly place: string;
  /** Data of about so many bytes of JSON. */
  readonly make: (bytes: number) => readonly HostileData[];
}

/** Values of about so many bytes of JSON, each slow for some code. */
type Shapes = { readonly [name: string]: (bytes: number) => JsonValue };

const TEXTS: Shapes = {
  quotes: (bytes) => '"'.repeat(bytes / 2),
  apostrophes: (bytes) => "'(".repeat(bytes / 2),
  'other letters': (bytes) => 'é'.repeat(bytes / 2),
  hex: (bytes) => `0x${'0a'.repeat(bytes / 2)}`,
};

/** Members whose values a limit on values still accepts. */
const SOME_MEMBERS = 16_000;

const OBJECTS: Shapes = {
  members: (bytes) => members(bytes / 11),
  'members and a text': (bytes) => ({
    ...members(SOME_MEMBERS),
    rest: 'x'.repeat(Math.max(1, bytes - 11 * SOME_MEMBERS)),
  }),
  'long names': (bytes) => Object.fromEntries(times(10, (index) => ['a'.repeat(bytes / 10 - 10) + index, 0])),
  'empty arrays': (bytes) => ({ a: times(bytes / 3, () => []) }),
  'deep arrays': (bytes) => ({ a: times(bytes / 114, deepArray) }),
};

/** Data whose cost is in its structure: the most that the limits of a rule accept. */
const STRUCTURES: { readonly [Name in PayloadRuleName]?: { readonly [name: string]: (bytes: number) => JsonObject } } =
  {
    'typed-data': {
      'empty structs': () => typedData({ M: [{ name: 'a', type: 'E[]' }], E: [] }, { a: times(255, () => ({})) }),
      'nested structs': nestedStructs,
      'longest text': () => typedData({ M: [{ name: 'a', type: 'string' }] }, { a: 'é'.repeat(65_536) }),
      'longest bytes': (bytes) =>
        typedData({ M: [{ name: 'a', type: 'bytes' }] }, { a: `0x${'0a'.repeat(bytes / 2)}` }),
    },
    'hyperliquid-l1': {
      'longest action': () => ({
        action: { type: 'x', ...members(SOME_MEMBERS), a: 'é'.repeat(75_000) },
        nonce: 1_700_000_000_000,
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
      'a string of revision 1': (bytes) => starknetData('string', '"'.repeat(bytes / 2), 1),
      'a selector': (bytes) => starknetData('selector', 'é'.repeat(bytes / 2)),
    },
    'cosmos-sign-doc': {
      coins: (bytes) => ({ signDoc: signDocWithCoins((bytes * 3) / 8 - 100) }),
      'coins within the limit': (bytes) => ({ signDoc: signDocWithCoins(Math.min(8000, bytes / 4)) }),
    },
  };

/** Requests of a rule that are made hostile. */
const SAMPLES = { numRuns: 8, seed: 1 };

/** Hostile data for a rule: structures, then objects and texts in place of its members. */
export function hostileData(rule: KnownRule): readonly HostileGroup[] {
  const structures = Object.entries(STRUCTURES[rule.rule] ?? {});
  const make = (bytes: number) => structures.map(([name, makeData]) => ({ name, make: () => makeData(bytes) }));
  const samples = fc.sample(plausibleData(rule), SAMPLES);
  const places = [OBJECTS, TEXTS].flatMap((shapes) => samples.flatMap((data) => placesIn(data, shapes)));
  return [{ place: 'structure', make }, ...places];
}

/** Every member of data, and below it the first one of each object: others cost the same. */
function placesIn(data: JsonObject, shapes: Shapes, path: readonly string[] = []): readonly HostileGroup[] {
  const value = path.reduce<JsonValue>((outer, name) => (outer as JsonObject)[name] ?? null, data);
  const isObject = typeof value === 'object' && value !== null;
  const names = isObject ? Object.keys(value).slice(0, path.length === 0 ? undefined : 1) : [];
  const inside = names.flatMap((name) => placesIn(data, shapes, [...path, name]));
  const isPlace = path.length > 0 && isObject === (shapes === OBJECTS);
  return isPlace ? [toGroup(data, path, shapes), ...inside] : inside;
}

function toGroup(data: JsonObject, path: readonly string[], shapes: Shapes): HostileGroup {
  const place = `${path[0]}${'.…'.repeat(path.length - 1)}${shapes === OBJECTS ? ', an object' : ''}`;
  const make = (bytes: number) =>
    Object.entries(shapes).map(([name, makeValue]) => {
      const hostile = replaceAt(data, path, makeValue(bytes)) as JsonObject;
      return { name: `${name} in ${place}`, make: () => hostile };
    });
  return { place, make };
}

function replaceAt(value: JsonValue, [name, ...rest]: readonly string[], replacement: JsonValue): JsonValue {
  if (name === undefined) return replacement;
  const inside = replaceAt((value as JsonObject)[name] ?? {}, rest, replacement);
  return Array.isArray(value) ? value.with(Number(name), inside) : { ...(value as JsonObject), [name]: inside };
}

function times<Value>(count: number, make: (index: number) => Value): readonly Value[] {
  return Array.from({ length: count }, (_, index) => make(index));
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
function nestedStructs(): JsonObject {
  const [name, depth] = ['a'.repeat(100), 60];
  const fields = (level: number) => (level === depth - 1 ? [] : [{ name, type: `N${level + 1}` }]);
  const types = Object.fromEntries(times(depth, (level) => [level === 0 ? 'M' : `N${level}`, fields(level)]));
  return typedData(
    types,
    times(depth - 1, () => 0).reduce<JsonObject>((inner) => ({ [name]: inner }), {}),
  );
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

/** A cosmos.tx.v1beta1.SignDoc in base64, with a fee of so many empty coins. */
function signDocWithCoins(coins: number): string {
  const body = bytesField(1, bytesField(1, Buffer.from('/a.B')));
  const signer = bytesField(1, bytesField(2, bytesField(1, Buffer.of(8, 1))));
  const fee = bytesField(2, Buffer.alloc(2 * Math.max(0, Math.floor(coins)), Buffer.of(10, 0)));
  const parts = [bytesField(1, body), bytesField(2, Buffer.concat([signer, fee])), bytesField(3, Buffer.from('test'))];
  return Buffer.concat(parts).toString('base64');
}
