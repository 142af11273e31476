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
  ['A', 'an instruction and a nonce', { instruction: ORDER_A, nonce: 1700000000000 }],
  ['A', 'a flat order', ORDER_A],
  ['A', 'a flat order with a nonce', { ...ORDER_A, nonce: 1700000000000 }],
  ['B', 'a message object', { message: ORDER_B }],
  ['B', 'a message text', { message: 'hello' }],
  ['C', 'a request', REQUEST_C],
  ['D', 'a request with an object body', REQUEST_D],
  ['D', 'a request with a text body', { ...REQUEST_D, body: '{"a":1}' }],
  ['D', 'a request with an empty text body', { ...REQUEST_D, body: '' }],
  ['any', 'any object', { whatever: [1, { x: null }] }],
  ['any', 'the empty object', {}],
];

/** Invalid values by kind. */
const NOT_A_TEXT: readonly JsonValue[] = [5, null, true, ['text'], {}];
const NOT_MILLISECONDS: readonly JsonValue[] = ['1700000000000', -1, 1.5, 2 ** 53, Number.POSITIVE_INFINITY, null, [5]];
const NOT_AN_OBJECT: readonly JsonValue[] = [null, [], 5, true];
const NOT_A_METHOD: readonly JsonValue[] = ['', 'Post', 'FETCH', 'GET ', 5, null];
const NOT_A_PATH: readonly JsonValue[] = ['', 'api/order', ' /api', 'https://venue.example/api', 5, null];
const NOT_A_TIMESTAMP: readonly JsonValue[] = [
  ...['', 'yesterday', '2024-01-02', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05.6789Z', '2024-01-02T03:04:05.678'],
  ...['2024-01-02T03:04:05.678+00:00', '2024-01-02 03:04:05.678Z', '2024-01-02T03:04:05.678Z\n', '1704164645678'],
  ...['2023-02-29T00:00:00.000Z', '2024-04-31T00:00:00.000Z', '2024-13-01T00:00:00.000Z', '2024-01-02T24:00:00.000Z'],
  ...[1704164645678, null],
];

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
  for (const value of NOT_MILLISECONDS) {
    it(`rejects ${JSON.stringify(value)} as the nonce of a flat order`, () => {
      const issues = findFormatIssues('A', { ...ORDER_A, nonce: value });
      expect(issues.map(({ path }) => path)).to.deep.equal(['data.nonce']);
    });
  }

  for (const [format, what, data] of GOOD) {
    it(`accepts ${what} for format ${format}`, () => {
      expect(findFormatIssues(format, data)).to.deep.equal([]);
    });

    it(`accepts more fields next to ${what} for format ${format}, without modifying the data`, () => {
      const more = frozen(JSON.parse(JSON.stringify({ zz: { deep: [1] }, ...data, extra: null })));
      const before = JSON.stringify(more);
      expect(findFormatIssues(format, more)).to.deep.equal([]);
      expect(JSON.stringify(more)).to.equal(before);
    });
  }

  for (const verb of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']) {
    it(`accepts ${verb} in upper and lower case`, () => {
      for (const method of [verb, verb.toLowerCase()]) {
        expect(findFormatIssues('C', { ...REQUEST_C, method })).to.deep.equal([]);
        expect(findFormatIssues('D', { ...REQUEST_D, method })).to.deep.equal([]);
      }
    });
  }

  it('accepts format D without a body', () => {
    const { body: _left, ...request } = REQUEST_D;
    expect(findFormatIssues('D', request)).to.deep.equal([]);
  });

  it('rejects a body of format D that is neither an object nor a string', () => {
    for (const body of NOT_AN_OBJECT) {
      expect(paths('D', { ...REQUEST_D, body })).to.deep.equal(['data.body']);
    }
  });

  for (const [format, path, put] of FIELDS.filter(([, , , wrong]) => wrong === NOT_A_TEXT)) {
    it(`accepts an empty string as ${path} of format ${format}: the specification asks for a string`, () => {
      expect(findFormatIssues(format, put(''))).to.deep.equal([]);
    });
  }

  it('accepts the 29th of February of a leap year', () => {
    const timestamp = '2024-02-29T23:59:59.999Z';
    expect(findFormatIssues('D', { ...REQUEST_D, timestamp })).to.deep.equal([]);
  });

  it('accepts a nonce and a timestamp of 0', () => {
    expect(findFormatIssues('A', { instruction: ORDER_A, nonce: 0 })).to.deep.equal([]);
    expect(findFormatIssues('B', { message: { ...ORDER_B, timestamp: 0 } })).to.deep.equal([]);
  });

  for (const [format, path, put, wrong] of FIELDS) {
    it(`names ${path} of format ${format} when it is missing`, () => {
      expect(paths(format, put(undefined))).to.deep.equal([`data.${path}`]);
    });

    it(`names ${path} of format ${format} when it is invalid, and reports what is expected`, () => {
      for (const value of wrong) {
        const issues = findFormatIssues(format, put(value));
        expect(
          issues.map((issue) => issue.path),
          JSON.stringify(value),
        ).to.deep.equal([`data.${path}`]);
        for (const { message } of issues) expect(message).to.match(/^must be ./);
      }
    });
  }

  for (const value of [...NOT_AN_OBJECT, 'text']) {
    it(`rejects ${JSON.stringify(value)} as instruction, and does not treat it as a flat order`, () => {
      expect(paths('A', { ...ORDER_A, instruction: value, nonce: 1 })).to.deep.equal(['data.instruction']);
    });
  }

  it('reports every issue at once', () => {
    expect(paths('A', {})).to.have.members(Object.keys(ORDER_A).map((field) => `data.${field}`));
    expect(paths('A', { instruction: {} })).to.have.members([
      ...Object.keys(ORDER_A).map((field) => `data.instruction.${field}`),
      'data.nonce',
    ]);
    expect(paths('D', {})).to.have.members(['data.method', 'data.path', 'data.timestamp']);
  });

  it('does not treat inherited properties as fields', () => {
    const inherited = JSON.parse('{"__proto__":{"message":"hello"}}') as JsonObject;
    expect(paths('B', inherited)).to.deep.equal(['data.message']);
  });

  it('never repeats a value', () => {
    for (const [format, , put] of FIELDS) {
      for (const value of ['s3cret s3cret', ['s3cret'], { s3cret: 's3cret' }, 123456789.5]) {
        const output = JSON.stringify(findFormatIssues(format, put(value)));
        expect(output).not.to.match(/s3cret|123456789/);
      }
    }
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

describe('messages of findFormatIssues', () => {
  it('reports that a field is missing and what it must be', () => {
    expect(findFormatIssues('B', {})).to.deep.equal([
      {
        path: 'data.message',
        message:
          'is missing; it must be an object with action, symbol, price, quantity and timestamp, or a non-empty string',
      },
    ]);
  });

  it('reports the issue inside a message object', () => {
    const message = { action: 'place', symbol: 'ETH', price: 1, quantity: '2' };
    expect(findFormatIssues('B', { message })).to.deep.equal([
      { path: 'data.message.price', message: 'must be a string' },
      {
        path: 'data.message.timestamp',
        message: 'is missing; it must be an integer, the milliseconds since 1970-01-01T00:00:00Z',
      },
    ]);
  });

  it('reports what a message can be when it is something else', () => {
    const wanted = 'must be an object with action, symbol, price, quantity and timestamp, or a non-empty string';
    for (const message of [5, null, []]) {
      expect(findFormatIssues('B', { message })).to.deep.equal([{ path: 'data.message', message: wanted }]);
    }
  });

  it('reports that a message string must not be empty', () => {
    expect(findFormatIssues('B', { message: '' })).to.deep.equal([
      { path: 'data.message', message: 'must be a non-empty string' },
    ]);
  });

  it('reports the first of two issues of one field', () => {
    const order = { type: '', market: '', side: '', amount: '', price: '' };
    expect(findFormatIssues('A', { instruction: order, nonce: -1.5 })).to.deep.equal([
      { path: 'data.nonce', message: 'must be an integer, the milliseconds since 1970-01-01T00:00:00Z' },
    ]);
  });

  it('shows the expected format of a timestamp', () => {
    const issues = findFormatIssues('D', { method: 'GET', path: '/a', timestamp: '2024-01-02' });
    expect(issues.map(({ message }) => message)).to.deep.equal([
      'must be an ISO 8601 time in UTC with milliseconds, such as 2026-11-20T09:00:00.000Z',
    ]);
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

function frozen(value: JsonObject): JsonObject {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) frozen(member as JsonObject);
  }
  return Object.freeze(value);
}
