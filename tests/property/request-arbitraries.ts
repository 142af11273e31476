import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import type { KnownRule } from '../../src/domain/payload/payload-rules.ts';
import type { TimestampForm } from '../../src/domain/payload/rule-options.ts';
import { getSignedMembers } from '../../src/domain/payload/unsigned-fields.ts';
import { makeSignDoc } from '../contracts/cosmos-sign-doc.ts';
import { anyText } from './any-text.ts';
import { jsonObject, SIGNABLE } from './json-arbitraries.ts';

/** Values of a query: texts, numbers, booleans. */
export const scalar: fc.Arbitrary<JsonValue> = SIGNABLE.scalar.filter((value) => value !== null);

/** Flat objects that fit into a query. */
export const flatObject: fc.Arbitrary<JsonObject> = fc
  .uniqueArray(fc.tuple(SIGNABLE.name, scalar), { minLength: 1, maxLength: 5, selector: ([name]) => name })
  .map((members) => Object.fromEntries(members));

const ADDRESS = '0x00000000000000000000000000000000000000aa';

const address = fc.constantFrom(ADDRESS, ADDRESS.replace('aa', 'ab'));

const digits = fc.integer({ min: 0, max: 2 ** 40 });

/** Data that a rule mostly accepts. */
export function plausibleData(rule: KnownRule): fc.Arbitrary<JsonObject> {
  switch (rule.rule) {
    case 'raw':
      return fc.oneof(
        fc.record({ text: anyText() }),
        fc.record({ hex: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('hex').toUpperCase()) }),
        fc.record({ base64: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')) }),
      );
    case 'typed-data':
      return typedData(rule.domain ?? { name: 'Any', chainId: 5 });
    case 'starknet-typed-data':
      return starknetData;
    case 'hyperliquid-l1':
      return fc.oneof(
        hashed(action),
        fc.tuple(hashed(action), multiSig).map(([data, users]) => ({ ...data, ...users })),
      );
    case 'hyperliquid-multi-sig':
      return hashed(envelope);
    case 'cosmos-sign-doc':
      return fc
        .record({ memo: fc.string({ unit: 'grapheme' }), sequence: fc.nat(), accountNumber: fc.nat() })
        .chain((sample) =>
          fc.constantFrom('hex' as const, 'base64' as const).map((form) => makeSignDoc(sample).toString(form)),
        )
        .map((signDoc) => ({ signDoc }));
    case 'jwt':
      return tokenData(rule);
    case 'backpack':
      return backpackData;
    case 'kraken':
      return fc.oneof(
        fc.record({ path, nonce: fc.oneof(digits, digits.map(String)), body: anyText() }),
        fc.record({ path, body: fc.tuple(flatObject, digits).map(([form, nonce]) => ({ ...form, nonce })) }),
      );
    case 'kraken-futures':
      return fc.record(
        {
          path,
          nonce: fc.oneof(digits, digits.map(String)),
          body: fc.oneof(flatObject, anyText()),
        },
        { requiredKeys: ['path'] },
      );
    case 'kraken-challenge':
      return fc.record({ challenge: fc.uuid() });
    case 'concat-sorted':
      return fc.record(
        {
          method: fc.constantFrom('private/a', 'private/a-b', 'public/auth', 'a'),
          id: fc.oneof(digits, digits.map(String)),
          params: flatObject,
          nonce: fc.constantFrom<number | string>(1700000000000, '1700000000000', 1),
        },
        { requiredKeys: ['method', 'id', 'nonce'] },
      );
    default:
      return requestData(rule);
  }
}

const felt = fc.oneof(digits, digits.map(String), fc.constantFrom('BUY', '', '0xff', true), fc.string());

const starknetData: fc.Arbitrary<JsonObject> = fc
  .record({ name: felt, side: felt, sizes: fc.array(felt) })
  .map((given) => ({
    domain: { name: given.name },
    types: {
      StarkNetDomain: [{ name: 'name', type: 'felt' }],
      Order: [
        { name: 'side', type: 'felt' },
        { name: 'sizes', type: 'felt*' },
      ],
    },
    primaryType: 'Order',
    message: { side: given.side, sizes: given.sizes },
  }));

/** An action of a type whose form the service does not know. */
const action = jsonObject(SIGNABLE).map((members) => ({ type: 'other', ...members }));

/** Data of Hyperliquid's rules; vault and expiry are optional. */
function hashed(action: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc.record(
    { action, nonce: digits, vaultAddress: fc.constantFrom(null, ADDRESS), expiresAfter: digits },
    { requiredKeys: ['action', 'nonce'] },
  );
}

const multiSig = fc.record({ multiSigUser: address, outerSigner: address });

const half = fc.bigInt({ min: 1n, max: 2n ** 256n - 1n }).map((value) => `0x${value.toString(16)}`);

/** An action of type multiSig. */
const envelope: fc.Arbitrary<JsonObject> = fc.record({
  type: fc.constant('multiSig'),
  signatureChainId: fc.constantFrom('0x66eee', '0xa4b1'),
  signatures: fc.array(fc.record({ r: half, s: half, v: fc.constantFrom(27, 28) }), { minLength: 1, maxLength: 3 }),
  payload: fc.tuple(multiSig, jsonObject(SIGNABLE)).map(([users, action]) => ({ ...users, action })),
});

const path = pathFrom('/');

/** A path with this start; often with a query. */
function pathFrom(start: string): fc.Arbitrary<string> {
  return fc
    .string({ unit: fc.constantFrom('/', 'a', '%20', '?', '=', '.'), maxLength: 6 })
    .map((rest) => `${start}${rest}`);
}

/** What a token contains, and nothing else: other members are refused. */
function tokenData({ claims, queryHash }: Extract<KnownRule, { readonly rule: 'jwt' }>): fc.Arbitrary<JsonObject> {
  const text = JSON.stringify(claims);
  return fc.record({
    ...(text.includes('{data.nonce}') ? { nonce: fc.oneof(digits, fc.string({ minLength: 1 })) } : {}),
    ...(text.includes('"time":"s"') ? { timestamp: fc.integer({ min: 10 ** 9, max: 10 ** 10 - 1 }) } : {}),
    ...(text.includes('"time":"ms"') ? { timestamp: fc.integer({ min: 10 ** 12, max: 10 ** 13 - 1 }) } : {}),
    ...(text.includes('{path}') ? { method: fc.constantFrom('GET', 'post'), path: path.filter(hasNoQuery) } : {}),
    ...(queryHash === undefined ? {} : { params: flatObject }),
  });
}

function hasNoQuery(text: string): boolean {
  return !text.includes('?');
}

const time = fc.date({
  min: new Date('2001-09-10T00:00:00Z'),
  max: new Date('2286-01-01T00:00:00Z'),
  noInvalidDate: true,
});

function requestData(rule: KnownRule): fc.Arbitrary<JsonObject> {
  const form = rule.rule === 'prehash' ? rule.timestamp : 'iso';
  const start = (rule.rule === 'prehash' ? rule.path?.start : undefined) ?? '/';
  const body = fc.oneof(flatObject, anyText(), jsonObject(SIGNABLE));
  const request = fc.record(
    {
      method: fc.constantFrom('GET', 'post', 'Put'),
      path: pathFrom(start),
      timestamp: time.map((date) => timestampOf(date, form)),
      nonce: fc.oneof(fc.maxSafeInteger(), fc.string()),
      params: flatObject,
      query: fc.oneof(flatObject, fc.string({ unit: fc.constantFrom('a', '=', '&', '%20', '+') })),
      body: rule.rule === 'query' || rule.rule === 'jcs' ? flatObject : body,
    },
    {
      requiredKeys: [
        'method',
        'path',
        'timestamp',
        'nonce',
        'params',
        ...(rule.rule === 'prehash' ? [] : ['body' as const]),
      ],
    },
  );
  return request.map((data) => Object.fromEntries(Object.entries(data).filter(([name]) => mayStand(name, rule))));
}

/** Rules reject unsigned members, except labels of the request. */
function mayStand(name: string, rule: KnownRule): boolean {
  return name === 'method' || name === 'path' || getSignedMembers(rule)?.includes(name) !== false;
}

function timestampOf(date: Date, form: TimestampForm | undefined): JsonValue {
  if (form === 'ms') return date.getTime();
  if (form === 's-fraction') return date.getTime() / 1000;
  return form === 's' ? Math.floor(date.getTime() / 1000) : date.toISOString();
}

const backpackData = fc
  .tuple(
    fc.constantFrom('orderExecute', 'balanceQuery'),
    fc.oneof(
      fc.record({ params: flatObject }),
      fc.record({ orders: fc.array(flatObject, { minLength: 1, maxLength: 3 }) }),
    ),
    fc.integer({ min: 10 ** 12, max: 10 ** 13 - 1 }),
    fc.integer({ min: 1, max: 60_000 }),
  )
  .map(([instruction, given, timestamp, window]) => ({ instruction, ...given, timestamp, window }));

function typedData(domain: JsonObject): fc.Arbitrary<JsonObject> {
  return fc
    .record({ note: anyText(), amount: fc.oneof(fc.maxSafeNat(), fc.maxSafeNat().map(String)) })
    .map((message) => ({
      domain,
      types: {
        Order: [
          { name: 'note', type: 'string' },
          { name: 'amount', type: 'uint256' },
        ],
      },
      primaryType: 'Order',
      message,
    }));
}
