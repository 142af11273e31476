import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import type { FixedValues, PayloadRule } from '../../../../../src/domain/model/payload.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { presetOf } from '../../../../harness/venue-vectors.ts';
import { expectIssue, expectParts, expectText } from '../payload-expectations.ts';

const TEMPLATE = '{timestamp}{METHOD}{path}{body}';
const REQUEST: JsonObject = { timestamp: '2020-12-08T09:08:57.715Z', method: 'post', path: '/api/v5/trade/order' };

function signPrehash(
  data: JsonObject,
  template = TEMPLATE,
  options: Partial<PayloadRule> = {},
  values: FixedValues = {},
) {
  return buildPayload(data, { rule: 'prehash', template, ...options }, payloadContext(values));
}

describe('payload rule prehash', () => {
  it('rejects a method that is missing or not made of letters', () => {
    const { method: _left, ...rest } = REQUEST;
    expectIssue(signPrehash(rest), 'data.method', /^is missing; it must be an HTTP method/);
    for (const method of ['', 'PO ST', 'post\n', 'ﬁnd', 7, null]) {
      expectIssue(signPrehash({ ...REQUEST, method }), 'data.method', /^must be an HTTP method/);
    }
  });

  it('ignores fields outside the template, but rejects those that callers would assume signed', () => {
    expectText(signPrehash({ path: '/a', method: 5, endpoint: null, note: {} }, '{path}'), '/a');
    for (const name of ['body', 'timestamp', 'query', 'params', 'nonce', 'Body', 'QUERY']) {
      expectIssue(signPrehash({ path: '/a', [name]: {} }, '{path}'), `data.${name}`, /^must be absent: the rule/);
    }
    expectIssue(signPrehash({ path: '/a', Path: '/b' }, '{path}'), 'data.Path', /^is not signed; .* signs data\.path$/);
    expectIssue(signPrehash({ path: '/a', Body: {} }, '{path}{body}'), 'data.Body', /signs data\.body$/);
  });

  it('replaces each placeholder once: braces in the parts have no effect', () => {
    const data = { timestamp: '{path}', method: 'GET', path: '/a$1$&', body: '["{timestamp}"]' };
    expectText(signPrehash(data, '{timestamp}{METHOD}{path}{body}'), '{path}GET/a$1$&["{timestamp}"]');
  });
});

describe('payload rule prehash: queries', () => {
  it('signs an object percent-encoded in order, a string verbatim, an absent query as empty', () => {
    const outcome = signPrehash({ query: { b: 'x y', a: 1 } }, 'q={query}');
    expectText(outcome, 'q=b=x%20y&a=1');
    expectParts(outcome, { query: 'b=x%20y&a=1' });
    expectText(signPrehash({ query: 'b=x+y&a=%20%27?' }, 'q={query}'), 'q=b=x+y&a=%20%27?');
    expectIssue(signPrehash({ query: "b='x'" }, 'q={query}'), 'data.query', /^must be percent-encoded as sent/);
    expectIssue(signPrehash({ query: 'b=x y' }, 'q={query}'), 'data.query', /^must be percent-encoded as sent/);
    expectText(signPrehash({ query: 'b=x y#é' }, 'q={query}', { query: { encode: 'none' } }), 'q=b=x y#é');
    expectParts(signPrehash({ query: 'b=x' }, 'q={query}'), { query: 'b=x' });
    expectText(signPrehash({}, 'q={query}'), 'q=');
  });

  describe('with requirements on the path', () => {
    it('rejects what presets Bitfinex and Polymarket say that their venues do not sign', () => {
      const bitfinex = (path: string) =>
        buildPayload({ path, nonce: 1 }, presetOf('bitfinex').platform.payload, payloadContext({}));
      expectText(bitfinex('/v2/auth/r/wallets'), '/api/v2/auth/r/wallets1');
      expectIssue(bitfinex('/api/v2/auth/r/wallets'), 'data.path', /^must start with \/v2\//);
      expectIssue(bitfinex('/v2/auth/r/wallets?limit=1'), 'data.path', /^must not have a query/);
      const data = { timestamp: 1_700_000_000, method: 'GET', path: '/data/orders?market=0x1' };
      const polymarket = buildPayload(data, presetOf('polymarket').platform.payload, payloadContext({}));
      expectIssue(polymarket, 'data.path', /^must not have a query/);
    });
  });

  it('rejects a query without a required parameter, or with an excluded one, also in another place', () => {
    const query = { parameters: { apiKey: 'required', timestamp: 'excluded' } } as const;
    const options = { query };
    expectText(signPrehash({ query: { apiKey: 'k' } }, '{query}', options), 'apiKey=k');
    expectText(signPrehash({ query: 'a=1&apiKey=k' }, '{query}', options), 'a=1&apiKey=k');
    for (const given of [{ a: 1 }, {}, 'a=apiKey', 'apiKeys=k']) {
      expectIssue(signPrehash({ query: given }, '{query}', options), 'data.query.apiKey', /^is missing; the rule/);
    }
    for (const given of [
      { apiKey: 'k', timestamp: 1 },
      'apiKey=k&timestamp=1',
      'apiKey=k&time%73tamp',
      'timestamp&apiKey=k',
    ]) {
      expectIssue(
        signPrehash({ query: given }, '{query}', options),
        'data.query.timestamp',
        /^must be absent: with it/,
      );
    }
    const inPath = { path: '/a?apiKey=k&timestamp=1' };
    expectIssue(
      signPrehash({ ...inPath, query: 'apiKey=k' }, '{path}{?query}', options),
      'data.path',
      /^must not have a query/,
    );
  });

  it('rejects a query in two places, and one in the path that would not be signed', () => {
    const both = { path: '/a?b=1', query: { c: 2 } };
    expectIssue(signPrehash(both, '{path}{?query}'), 'data.query', /^must be absent if data\.path has a query/);
    expectIssue(signPrehash(both, '{path}\n{query}'), 'data.path', /^must not have a query/);
    expectIssue(signPrehash({ path: '/a?b=1' }, '{query}{body}'), 'data.path', /^must not have a query/);
    expectIssue(signPrehash(both, '{path}'), 'data.query', /^must be absent: the rule/);
  });
});

describe('payload rule prehash: bodies', () => {
  it('signs a text beside other parts only if it is the JSON text of an object or array', () => {
    for (const text of ['{}', '[]', '{"a":[1, 2],"b":"}"}', '[\n{"é":1e400}\n]', '']) {
      expectText(signPrehash({ method: 'POST', body: text }, '{METHOD}{body}'), `POST${text}`);
    }
    const others = ['a=1', '{', '{"a":1', '{"a":1} ', '\n{}', '"a"', '1', 'null', '{=&a=1|1700000000000', '{}{}', ' '];
    for (const body of [...others, "{'a':1}", '\ufeff{}', '[1,]']) {
      expectIssue(signPrehash({ body }, '{body}'), 'data.body', /^must be an object, an array, the JSON text of one/);
    }
  });

  it('json-or-form: signs JSON, and a percent-encoded form as text', () => {
    const options = { body: 'json-or-form' } as const;
    expectText(signPrehash({ body: { a: 1 } }, '{body}', options), '{"a":1}');
    for (const body of ['{"a": 1}', 'symbol=XBTUSD&text=a%20b+c', '']) {
      expectText(signPrehash({ body }, '{body}', options), body);
    }
    for (const body of ['a=1|2', '{a=1', 'a=é', 'a=1\n', 'a=/']) {
      expectIssue(signPrehash({ body }, '{body}', options), 'data.body', /a percent-encoded form as text, or absent$/);
    }
  });

  for (const bodyHash of ['sha256', 'sha512'] as const) {
    it(`signs any text that is hashed by ${bodyHash}`, () => {
      const digest = createHash(bodyHash).update('a=1', 'utf8').digest('hex');
      expectText(signPrehash({ body: 'a=1' }, '{body}', { bodyHash }), digest);
      expectIssue(signPrehash({ body: 1 }, '{body}', { bodyHash }), 'data.body', /a string that is signed unchanged/);
    });
  }
});

describe('payload rule prehash: separator', () => {
  it('is placed neither next to other text nor at the ends nor before {?query}', () => {
    const data = { method: 'GET', path: '/a', query: 'b=1', nonce: 5 };
    expectText(
      signPrehash(data, 'v1{METHOD}{path}{?query}{data.nonce}:{account.k}{method}', { separator: '|' }, { k: 'K' }),
      'v1GET|/a?b=1|5:K|get',
    );
  });
});

describe('payload rule prehash: named values', () => {
  it('rejects missing values, other types and control characters', () => {
    expectIssue(signPrehash({}, '{data.nonce}'), 'data.nonce', /^is missing; it must be a string or an integer$/);
    expectIssue(signPrehash({}, '{data.toString}'), 'data.toString', /^is missing/);
    for (const nonce of [1.5, 1e-8, null, true]) {
      expectIssue(signPrehash({ nonce }, '{data.nonce}'), 'data.nonce', /^must be a string or an integer$/);
    }
    for (const nonce of [{}, ['a']]) {
      expectIssue(
        signPrehash({ nonce }, '{data.nonce}'),
        'data.nonce',
        /^must be a string or an integer: .* JSON text$/,
      );
    }
    for (const nonce of ['a\nb', '\u0000', '\u007f']) {
      expectIssue(signPrehash({ nonce }, '{data.nonce}'), 'data.nonce', /^must not contain control characters/);
    }
  });

  it('rejects & and = where no control character or end of the text separates them from other text', () => {
    const joined = /^must not have & or =, because it is signed beside other text/;
    for (const key of ['a=1', 'a&b', '=']) {
      expectIssue(signPrehash({ key, timestamp: '5' }, '{data.key}{timestamp}'), 'data.key', joined);
      expectIssue(signPrehash({ key }, 'channel={data.key}'), 'data.key', joined);
      expectIssue(signPrehash({ key }, '通{data.key}'), 'data.key', joined);
      expectIssue(signPrehash({ key, n: 1 }, '{data.n}{data.key}', { separator: '|' }), 'data.key', joined);
      expectText(signPrehash({ key, n: 1 }, '{data.n}{data.key}', { separator: '\n' }), `1\n${key}`);
      expectText(signPrehash({ key }, '{data.key}'), key);
    }
  });

  it("uses the account's fixed values, and the rule's if it has none", () => {
    const template = '{timestamp}{account.apiKey}{account.recvWindow}';
    const values = { recvWindow: '5000', apiKey: 'nobody' };
    expectText(signPrehash({ timestamp: '1' }, template, { values }, { apiKey: 'K' }), '1K5000');
    expectText(signPrehash({ timestamp: '1' }, template, { values }, { apiKey: 'K', recvWindow: '9' }), '1K9');
    const outcome = signPrehash({ timestamp: '1' }, template, { values });
    expectText(outcome, '1nobody5000');
    expectParts(outcome, { timestamp: '1', values: { apiKey: 'nobody', recvWindow: '5000' } });
    for (const name of ['apiKey', 'recvwindow']) {
      expectIssue(
        signPrehash({ timestamp: '1', [name]: 'x' }, template, { values }),
        `data.${name}`,
        /^must be absent: its value/,
      );
    }
  });

  it('returns the passphrase of an account that has it, without signing it', () => {
    const signed = signPrehash({ path: '/a' }, '{path}', { passphrase: 'mac' }, { passphrase: 'bWFj' });
    expectText(signed, '/a');
    expectParts(signed, { path: '/a', values: { passphrase: 'bWFj' } });
    expectParts(signPrehash({ path: '/a' }, '{path}', { passphrase: 'mac' }), { path: '/a' });
    expectParts(signPrehash({ path: '/a' }, '{path}', {}, { passphrase: 'bWFj' }), { path: '/a' });
    expectIssue(
      signPrehash({ path: '/a', passphrase: 'x' }, '{path}', { passphrase: 'mac' }),
      'data.passphrase',
      /^must be absent: its value is fixed/,
    );
  });
});
