import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../src/domain/model/json.ts';
import { DATA_FORMATS, type DataFormat } from '../../../../src/domain/model/platform.ts';
import { findFormatIssues } from '../../../../src/domain/payload/data-formats.ts';

const ORDER_A = { type: 'limit', market: 'BTC-USD', side: 'buy', amount: '1.5', price: '65000' };
const ORDER_B = { action: 'place', symbol: 'ETH', price: '1', quantity: '2', timestamp: 1700000000000 };
const ORDER_C = { symbol: 'X', side: 'BUY', type: 'LIMIT', quantity: '1', price: '2', timestamp: 1700000000000 };
const ORDER_D = { instId: 'BTC-USDT', side: 'buy', ordType: 'limit', sz: '2', px: '2.15' };
const REQUEST_C = { method: 'POST', endpoint: '/api/v3/order', params: ORDER_C };
const REQUEST_D = { method: 'POST', path: '/api/v5/trade/order', timestamp: '2024-01-02T03:04:05.678Z', body: ORDER_D };

/** Valid data by format. */
const GOOD: readonly (readonly [format: DataFormat, what: string, data: JsonObject])[] = [
  ['A', 'a flat order with a nonce', { ...ORDER_A, nonce: 1700000000000 }],
  ['B', 'a message text', { message: 'hello' }],
  ['D', 'a request with a text body', { ...REQUEST_D, body: '{"a":1}' }],
  ['D', 'a request with an empty text body', { ...REQUEST_D, body: '' }],
  ['any', 'any object', { whatever: [1, { x: null }] }],
];

/** Invalid values by kind. */
const NOT_A_TEXT: readonly JsonValue[] = [5, null, true, ['text'], {}];
const NOT_MILLISECONDS: readonly JsonValue[] = ['1700000000000', -1, 1.5, 2 ** 53, Number.POSITIVE_INFINITY, null, [5]];
const NOT_AN_OBJECT: readonly JsonValue[] = [null, [], 5, true];
const NOT_A_METHOD: readonly JsonValue[] = ['', 'Post', 'FETCH', 'GET ', 5, null];
const NOT_A_PATH: readonly JsonValue[] = ['', 'api/order', ' /api', 'https://venue.example/api', 5, null];
const NOT_A_TIMESTAMP: readonly JsonValue[] = ['', '2024-01-02T03:04:05Z', '2023-02-29T00:00:00.000Z', 1704164645678];

/**
 * Each named field: how to set it in valid data, and its invalid values. Strings must also be
 * present.
 */
const FIELDS: readonly (readonly [
  format: DataFormat,
  path: string,
  put: (value: JsonValue | undefined) => JsonObject,
  wrong: readonly JsonValue[],
])[] = [
  ...Object.keys(ORDER_A).flatMap((name) => [
    ['A', `instruction.${name}`, inside({ nonce: 1 }, 'instruction', ORDER_A, name), NOT_A_TEXT] as const,
    ['A', name, within(ORDER_A, name), NOT_A_TEXT] as const,
  ]),
  ['A', 'nonce', within({ instruction: ORDER_A }, 'nonce'), NOT_MILLISECONDS],
  ...['action', 'symbol', 'price', 'quantity'].map(
    (name) => ['B', `message.${name}`, inside({}, 'message', ORDER_B, name), NOT_A_TEXT] as const,
  ),
  ['B', 'message.timestamp', inside({}, 'message', ORDER_B, 'timestamp'), NOT_MILLISECONDS],
  ['B', 'message', within({}, 'message'), [...NOT_AN_OBJECT, '']],
  ...['symbol', 'side', 'type', 'quantity', 'price'].map(
    (name) => ['C', `params.${name}`, inside(REQUEST_C, 'params', ORDER_C, name), NOT_A_TEXT] as const,
  ),
  ['C', 'params.timestamp', inside(REQUEST_C, 'params', ORDER_C, 'timestamp'), NOT_MILLISECONDS],
  ['C', 'params', within(REQUEST_C, 'params'), [...NOT_AN_OBJECT, 'a=b']],
  ['C', 'method', within(REQUEST_C, 'method'), NOT_A_METHOD],
  ['C', 'endpoint', within(REQUEST_C, 'endpoint'), NOT_A_PATH],
  ['D', 'method', within(REQUEST_D, 'method'), NOT_A_METHOD],
  ['D', 'path', within(REQUEST_D, 'path'), NOT_A_PATH],
  ['D', 'timestamp', within(REQUEST_D, 'timestamp'), NOT_A_TIMESTAMP],
  ...Object.keys(ORDER_D).map(
    (name) => ['D', `body.${name}`, inside(REQUEST_D, 'body', ORDER_D, name), NOT_A_TEXT] as const,
  ),
];

describe('findFormatIssues', () => {
  for (const [format, what, data] of GOOD) {
    it(`accepts ${what} for format ${format}`, () => {
      expect(findFormatIssues(format, data)).to.deep.equal([]);
    });
  }

  it('accepts each method in upper and lower case', () => {
    for (const verb of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
      for (const method of [verb, verb.toLowerCase()]) {
        expect(findFormatIssues('C', { ...REQUEST_C, method })).to.deep.equal([]);
      }
    }
  });

  it('rejects a body of format D that is neither an object nor a string', () => {
    for (const body of NOT_AN_OBJECT) {
      expect(paths('D', { ...REQUEST_D, body })).to.deep.equal(['data.body']);
    }
  });

  for (const [format, path, put, wrong] of FIELDS) {
    it(`names ${path} of format ${format} when it is missing or invalid, and reports what is expected`, () => {
      expect(findFormatIssues(format, put(undefined))[0]?.message).to.match(/^is missing; it must be ./);
      for (const value of [undefined, ...wrong]) {
        const issues = findFormatIssues(format, put(value));
        const found = issues.map((issue) => issue.path);
        expect(found, JSON.stringify(value)).to.deep.equal([`data.${path}`]);
        for (const { message } of issues)
          expect(message)
            .to.match(/must be ./)
            .and.not.match(/\d{6}|text/);
      }
    });
  }

  it('treats no data with an instruction as a flat order', () => {
    for (const value of [...NOT_AN_OBJECT, 'text']) {
      expect(paths('A', { ...ORDER_A, instruction: value, nonce: 1 })).to.deep.equal(['data.instruction']);
    }
  });

  it('reports every issue at once', () => {
    expect(paths('A', {})).to.have.members(Object.keys(ORDER_A).map((field) => `data.${field}`));
    expect(paths('A', { instruction: {} })).to.have.members([
      ...Object.keys(ORDER_A).map((field) => `data.instruction.${field}`),
      'data.nonce',
    ]);
    expect(paths('D', {})).to.have.members(['data.method', 'data.path', 'data.timestamp']);
  });

  it('accepts any depth and width outside the named fields', () => {
    const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`) as JsonValue;
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, index]));
    for (const format of DATA_FORMATS) {
      expect(findFormatIssues(format, { ...wide, deep })).to.have.lengthOf.below(20);
    }
    expect(findFormatIssues('B', { message: 'hello', deep })).to.deep.equal([]);
  });
});

function paths(format: DataFormat, data: JsonObject): readonly string[] {
  return findFormatIssues(format, data).map((issue) => issue.path);
}

/** Sets a top-level field of `base`; undefined removes it. */
function within(base: JsonObject, name: string): (value: JsonValue | undefined) => JsonObject {
  return (value) => {
    const { [name]: _replaced, ...rest } = base;
    return value === undefined ? rest : { ...rest, [name]: value };
  };
}

/** Sets a field of the object `container` of `base`. */
function inside(base: JsonObject, container: string, content: JsonObject, name: string) {
  return (value: JsonValue | undefined): JsonObject => ({ ...base, [container]: within(content, name)(value) });
}
