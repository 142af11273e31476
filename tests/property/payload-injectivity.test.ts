import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/domain/model/json.ts';
import type { PayloadRule } from '../../src/domain/model/payload.ts';
import { buildPayload } from '../../src/domain/payload/build-payload.ts';
import { Spellings } from '../../src/domain/payload/signed/signed-value.ts';
import { getSignedReader } from '../../src/domain/policy/signed-reader.ts';
import { payloadContext } from '../doubles/payload-context.ts';
import { jsonObject, NARROW, received } from './json-arbitraries.ts';

/*
 * Different data gives different payloads, except what a rule declares equal (`meaning`). Data
 * consists of few, easily confused pieces, so that payloads often collide.
 */

const CONTEXT = payloadContext();

function signedHex(data: JsonObject, rule: PayloadRule, context = CONTEXT): string | undefined {
  const outcome = buildPayload(data, rule, context);
  return outcome.ok ? Buffer.from(outcome.value.bytes).toString('hex') : undefined;
}

/** Documents per property, compared pairwise. */
const SAMPLES = 600;

/** Expects equal payloads exactly for equal meanings; refused data has none. */
function expectInjective<Data extends JsonObject>(
  rule: PayloadRule,
  data: fc.Arbitrary<Data>,
  meaning: (data: Data) => unknown,
  context = CONTEXT,
): void {
  const byPayload = new Map<string, { readonly data: Data; readonly meaning: string }>();
  const byMeaning = new Map<string, { readonly data: Data; readonly hex: string }>();
  for (const one of fc.sample(data, SAMPLES)) {
    const hex = signedHex(one, rule, context);
    if (hex === undefined) continue;
    const means = JSON.stringify(meaning(one));
    const sameBytes = byPayload.get(hex);
    const sameMeaning = byMeaning.get(means);
    if (sameBytes !== undefined && sameBytes.meaning !== means) fail('have the same payload', one, sameBytes.data);
    if (sameMeaning !== undefined && sameMeaning.hex !== hex) fail('mean the same', one, sameMeaning.data);
    byPayload.set(hex, { data: one, meaning: means });
    byMeaning.set(means, { data: one, hex });
  }
  expect(byPayload.size, 'different payloads').to.be.greaterThan(10);
}

function fail(what: string, one: JsonObject, other: JsonObject): never {
  throw new Error(`${JSON.stringify(one)} and ${JSON.stringify(other)} ${what}`);
}

/** Pairs as in a query: texts only. */
function pairs(members: JsonValue | undefined): readonly (readonly [string, string])[] {
  return Object.entries(members ?? {}).map(([name, value]) => [name, String(value)] as const);
}

function sortedPairs(members: JsonValue | undefined): readonly (readonly [string, string])[] {
  return [...pairs(members)].sort(([left], [right]) => (left < right ? -1 : 1));
}

const name = fc.constantFrom('a', 'b', 'a=', 'a&b', '=', '', '%26', 'a%3D', 'nonce', '1nonce');
const value = fc.constantFrom<JsonValue>(1, '1', true, 'true', '', '&', '=', '1&b=1', '=1', '%26', '+', ' ', -0);
const members = fc
  .uniqueArray(fc.tuple(name, value), { maxLength: 2, selector: ([key]) => key })
  .map((entries) => Object.fromEntries(entries) as JsonObject);

/** Texts of parameters, valid and other ones. */
const sentPairs = fc
  .array(fc.constantFrom('a=1', 'a=', 'b=+', 'b=%20', 'a=%2B', 'b=@', 'b=%40', 'a', '=1', 'a=1=b', '%61=1', 'a%3D=1'), {
    maxLength: 2,
  })
  .map((parts) => parts.join('&'));

describe('payload rules give different payloads for different data', () => {
  it('json: equal payloads for equal members in the same order only', () => {
    expectInjective({ rule: 'json' }, jsonObject(NARROW), (data) => received(data));
    fc.assert(
      fc.property(jsonObject(NARROW), jsonObject(NARROW), (one, other) => {
        const hex = signedHex(one, { rule: 'json' });
        if (hex !== undefined && hex === signedHex(other, { rule: 'json' })) {
          expect(isDeepStrictEqual(received(one), received(other))).to.equal(true);
        }
      }),
      { numRuns: 100 },
    );
  });

  for (const encode of ['percent', 'none'] as const) {
    for (const sort of [false, true]) {
      it(`query, ${sort ? 'sorted' : 'in the order sent'}, encode ${encode}: equal payloads for equal names and texts only`, () => {
        const data = fc.record({ params: members, note: fc.constantFrom(1, 2) });
        expectInjective({ rule: 'query', field: 'params', encode, sort }, data, ({ params }) =>
          sort ? sortedPairs(params) : pairs(params),
        );
      });
    }
  }

  it('query, text or object: equal payloads only for what servers decode alike', () => {
    const data = fc.record({ params: fc.oneof(members, sentPairs) });
    const decoded = new Map<string, string>();
    for (const { params } of fc.sample(data, SAMPLES)) {
      const hex = signedHex({ params }, { rule: 'query', field: 'params' });
      if (hex === undefined) continue;
      const means = JSON.stringify(typeof params === 'string' ? [...new URLSearchParams(params)] : pairs(params));
      expect(means, JSON.stringify(params)).to.equal(decoded.get(hex) ?? means);
      decoded.set(hex, means);
    }
    expect(decoded.size).to.be.greaterThan(10);
  });

  it('query with a form body: policies read equal payloads alike, or not at all', () => {
    const rule: PayloadRule = { rule: 'query', field: 'params', body: 'form' };
    const reader = getSignedReader(rule);
    const wanted = { fields: new Set(['params']), spellings: new Spellings([]) };
    const pieces = fc.constantFrom(
      ...['a=1', 'a=', 'b=2', '1b=2', 'timestamp=1700000000000', 'timestamp=170000000000', '0b=2', 'c='],
    );
    const text = fc.array(pieces, { maxLength: 3 }).map((parts) => parts.join('&'));
    const data = fc.record({ params: text, body: text }, { requiredKeys: ['params'] });
    const meanings = new Map<string, string>();
    for (const one of fc.sample(data, 5 * SAMPLES)) {
      const built = buildPayload(one, rule, CONTEXT);
      if (!built.ok) continue;
      const { params } = reader.read(built.value, wanted);
      if (params === undefined) continue;
      const means = JSON.stringify([...(params as Map<string, string>)]);
      expect(means, JSON.stringify(one)).to.equal(meanings.get(built.value.text) ?? means);
      meanings.set(built.value.text, means);
    }
    expect(meanings.size).to.be.greaterThan(10);
  });

  it('query between templates separated by line breaks', () => {
    const rule: PayloadRule = {
      rule: 'query',
      field: 'params',
      encode: 'percent',
      prefix: '{METHOD}\n{path}\n',
      suffix: '\n{data.nonce}\n{timestamp}',
    };
    const data = fc.record({ ...requestParts, params: members });
    expectInjective(rule, data, ({ method, path, params, nonce, timestamp }) => [
      method.toUpperCase(),
      path,
      pairs(params),
      String(nonce),
      timestamp,
    ]);
  });

  it('backpack: instruction, parameters, timestamp and window; one order is equivalent to parameters', () => {
    const data = fc
      .tuple(
        fc.constantFrom('a', 'b', 'aa'),
        fc.oneof(
          fc.record({ params: fc.oneof(members, members.map(withOwnName)) }),
          fc.record({ orders: fc.array(members, { minLength: 1, maxLength: 3 }) }),
          fc.constant({}),
        ),
        fc.constantFrom(1614550000000, 1614550000001),
        fc.constantFrom(1, 11),
      )
      .map(([instruction, given, timestamp, window]): JsonObject => ({ instruction, ...given, timestamp, window }));
    expectInjective({ rule: 'backpack' }, data, ({ instruction, params, orders, timestamp, window }) => [
      instruction,
      (Array.isArray(orders) ? orders : [params]).map(sortedPairs),
      timestamp,
      window,
    ]);
  });

  it('kraken with object bodies: path and form', () => {
    const nonce = fc.constantFrom<JsonValue>(1, '1', 11, '111', 2, '01');
    const body = fc
      .tuple(members, nonce, members)
      .map(([before, inside, after]): JsonObject => ({ ...before, nonce: inside, ...after }));
    const data = fc.record({ path: fc.constantFrom('/0/a', '/0/a1', '/0/b'), body });
    expectInjective({ rule: 'kraken' }, data, ({ path, body: form }) => [path, pairs(form)]);
  });

  it("kraken-futures: path, and post data concatenated with the nonce, by Kraken's design", () => {
    const data = fc.record(
      {
        path: fc.constantFrom('/api/a', '/api/a1', '/api/b'),
        nonce: fc.constantFrom<JsonValue>(1, '1', '12', 12),
        query: members,
      },
      { requiredKeys: ['path'] },
    );
    const encode = (text: string) => encodeURIComponent(text);
    expectInjective({ rule: 'kraken-futures' }, data, ({ path, nonce, query }) => {
      const postData = pairs(query).map(([key, text]) => `${encode(key)}=${encode(text)}`);
      return [path, `${postData.join('&')}${nonce ?? ''}`];
    });
  });

  it("concat-sorted: method, id and nonce, and names concatenated with values, by the venue's design", () => {
    const context = payloadContext({ apiKey: 'k' });
    const data = fc.record({
      method: fc.constantFrom('private/a', 'private/a-b', 'private/b'),
      id: fc.constantFrom<JsonValue>(1, '1', 11, '0'),
      params: members,
      nonce: fc.constantFrom<JsonValue>(1700000000000, '1700000000001'),
    });
    const meaning = ({ method, id, params, nonce }: JsonObject) => [
      method,
      String(id),
      sortedPairs(params).flat().join(''),
      String(nonce),
    ];
    expectInjective({ rule: 'concat-sorted' }, data, meaning, context);
  });

  it("kraken with text bodies: path, and nonce concatenated with body, by Kraken's design", () => {
    const data = fc.record({
      path: fc.constantFrom('/0/a', '/0/a1'),
      nonce: fc.constantFrom<JsonValue>(1, '1', '12', 12),
      body: fc.constantFrom('nonce=1', '2nonce=1', 'nonce=12', ''),
    });
    expectInjective({ rule: 'kraken' }, data, ({ path, nonce, body }) => [path, `${nonce}${body}`]);
  });
});

const requestParts = {
  timestamp: fc.constantFrom('1', 'POST', '1\nPOST', '/a', '', '{path}'),
  method: fc.constantFrom('GET', 'get', 'POST', 'GETA'),
  path: fc.constantFrom('/', '/a', '/ab', '/a\n', '/a\nb', '/a/b', '/a{"a":1}', '/a{}'),
  nonce: fc.constantFrom<string | number>(1, '1', '', '/a', 'x\ny', 'x'),
};

const textBody = fc.constantFrom('', 'b', '\n', 'x\ny', '{"a":1}', 'a=1', '/a', '/a\n\n');
const plainQuery = fc.constantFrom('', 'a=1', '\n', 'a=1\n', 'b');

/** The text of a body, or of the equivalent object. */
function bodyMeaning(body: JsonValue | undefined): string {
  return typeof body === 'string' ? body : JSON.stringify(body ?? '').replace(/^""$/, '');
}

describe('payload rule prehash gives different payloads for different requests', () => {
  const body = fc.oneof(textBody, jsonObject(NARROW));
  const request = fc.record(
    { ...requestParts, query: plainQuery, body },
    { requiredKeys: ['timestamp', 'method', 'path', 'nonce'] },
  );

  const withoutNonce = request.map(({ nonce: _left, ...rest }) => rest);

  function parts({ timestamp, method, path, query, body: sent }: Partial<Record<string, JsonValue>>): unknown {
    return [timestamp, String(method).toUpperCase(), path, query ?? '', bodyMeaning(sent)];
  }

  it('with line breaks and the body at the end', () => {
    const rule: PayloadRule = { rule: 'prehash', template: '{timestamp}{METHOD}{path}{query}{body}', separator: '\n' };
    expectInjective(rule, withoutNonce, parts);
  });

  it('with line breaks and the body as the only free text between them', () => {
    const rule: PayloadRule = {
      rule: 'prehash',
      template: '{METHOD}\n{path}{?query}\n{body}\n{timestamp}\n{data.nonce}',
    };
    expectInjective(rule, request, (data) => [
      data.method.toUpperCase(),
      `${data.path}${(data.query ?? '') === '' ? '' : `?${data.query}`}`,
      bodyMeaning(data.body),
      data.timestamp,
      String(data.nonce),
    ]);
  });

  for (const bodyHash of ['sha256', 'sha512'] as const) {
    it(`with a body hashed by ${bodyHash}`, () => {
      const rule: PayloadRule = {
        rule: 'prehash',
        template: '{METHOD}{path}{query}{body}{timestamp}',
        separator: '\n',
        bodyHash,
      };
      expectInjective(rule, withoutNonce, parts);
    });
  }

  for (const encode of ['percent', 'none'] as const) {
    it(`with query and body objects as forms, encode ${encode}`, () => {
      const rule: PayloadRule = {
        rule: 'prehash',
        template: '{METHOD}{path}{query}{body}',
        separator: '\n',
        query: { encode },
        body: 'form',
      };
      const objects = fc.record({
        method: requestParts.method,
        path: requestParts.path,
        query: members,
        body: members,
      });
      expectInjective(rule, objects, ({ method, path, query, body: form }) => [
        method.toUpperCase(),
        path,
        pairs(query),
        pairs(form),
      ]);
    });
  }

  it('in the OKX format, with or without an object body', () => {
    const rule: PayloadRule = { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}', timestamp: 'iso' };
    const timestamp = fc.constantFrom('2020-12-08T09:08:57.715Z', '2020-12-08T09:08:57.716Z');
    const { method, path } = requestParts;
    const okx = fc.record(
      { timestamp, method, path, body: jsonObject(NARROW) },
      { requiredKeys: ['timestamp', 'method', 'path'] },
    );
    expectInjective(rule, okx, parts);
  });
});

describe('payload rules give equal payloads for different data as documented', () => {
  const alike: readonly (readonly [string, PayloadRule, JsonObject, JsonObject])[] = [
    [
      'json: a text and the object that it is the JSON of',
      { rule: 'json', field: 'm' },
      { m: { a: 1 } },
      { m: '{"a":1}' },
    ],
    ['json: data beside the field', { rule: 'json', field: 'm' }, { m: 'x', n: 1 }, { m: 'x', n: 2 }],
    [
      'jcs: a text and the object that it is the JSON of',
      { rule: 'jcs', field: 'm' },
      { m: { a: 1 } },
      { m: '{"a":1}' },
    ],
    ['jcs: members in another order', { rule: 'jcs' }, { a: 1, b: 2 }, { b: 2, a: 1 }],
    [
      'query: a number and its text',
      { rule: 'query', field: 'p' },
      { p: { a: 1, b: true } },
      { p: { a: '1', b: 'true' } },
    ],
    ['query: an object and its text', { rule: 'query', field: 'p' }, { p: { a: 'b c', d: 1 } }, { p: 'a=b%20c&d=1' }],
    [
      'query: where a query ends and a form body begins',
      { rule: 'query', field: 'p', body: 'form' },
      { p: 'a=1', body: 'b=2' },
      { p: 'a=', body: '1b=2' },
    ],
    ['raw: a text and its bytes', { rule: 'raw' }, { text: 'é' }, { hex: 'C3A9' }],
    [
      'backpack: one order and its parameters',
      { rule: 'backpack' },
      { instruction: 'a', orders: [{ b: 1 }], timestamp: 1614550000000, window: 1 },
      { instruction: 'a', params: { b: '1' }, timestamp: 1614550000000, window: 1 },
    ],
    [
      'kraken: where a nonce ends',
      { rule: 'kraken' },
      { path: '/0', nonce: 1, body: '2nonce=1' },
      { path: '/0', nonce: 12, body: 'nonce=1' },
    ],
    [
      'prehash: where a path ends and a body begins',
      { rule: 'prehash', template: '{METHOD}{path}{body}' },
      { method: 'GET', path: '/a', body: [] },
      { method: 'get', path: '/a[]' },
    ],
    [
      'prehash: a query of the path and one beside it',
      { rule: 'prehash', template: '{path}{?query}' },
      { path: '/a?b=1' },
      { path: '/a', query: { b: 1 } },
    ],
  ];

  for (const [what, rule, one, other] of alike) {
    it(what, () => {
      expect(signedHex(one, rule)).to.be.a('string').and.to.equal(signedHex(other, rule));
    });
  }
});

function withOwnName(parameters: JsonObject): JsonObject {
  return { ...parameters, instruction: 'a' };
}
