import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import type { FixedValues, PrehashRule } from '../../../../../src/domain/model/payload-rule.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { prehashPayload } from '../../../../../src/domain/payload/rules/prehash.ts';
import { BITFINEX } from '../../../../../src/domain/presets/bitfinex.ts';
import { POLYMARKET } from '../../../../../src/domain/presets/polymarket.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { expectBytes, expectIssue, expectParts, expectText } from '../payload-expectations.ts';

const TEMPLATE = '{timestamp}{METHOD}{path}{body}';
const REQUEST: JsonObject = { timestamp: '2020-12-08T09:08:57.715Z', method: 'post', path: '/api/v5/trade/order' };
const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

function signPrehash(
  data: JsonObject,
  template = TEMPLATE,
  options: Partial<PrehashRule> = {},
  values: FixedValues = {},
) {
  return prehashPayload(data, { rule: 'prehash', template, ...options }, payloadContext(values));
}

/** Parsed JSON, with the sender's member order and numbers. */
function received(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

describe('payload rule prehash', () => {
  it('joins the parts, with the method in upper case', () => {
    const text = '2020-12-08T09:08:57.715ZPOST/api/v5/trade/order{"instId":"BTC-USDT","sz":"2"}';
    expect(text).to.have.lengthOf(77);
    const outcome = signPrehash({ ...REQUEST, body: { instId: 'BTC-USDT', sz: '2' } });
    expectText(outcome, text);
    expectParts(outcome, { body: '{"instId":"BTC-USDT","sz":"2"}' });
  });

  it('signs an absent body as empty', () => {
    expectText(signPrehash(REQUEST), '2020-12-08T09:08:57.715ZPOST/api/v5/trade/order');
    expectParts(signPrehash(REQUEST), undefined);
  });

  it('signs a string body verbatim', () => {
    const body = '{ "price": 219.0,\n "10": "é" }';
    expectText(signPrehash({ ...REQUEST, body }), `2020-12-08T09:08:57.715ZPOST/api/v5/trade/order${body}`);
    expectParts(signPrehash({ ...REQUEST, body }), undefined);
  });

  it('signs an object body compact, in the order sent', () => {
    const data = received(
      '{"timestamp":"1","method":"PUT","path":"/p","body":{ "b": [1, {"z":null,"a":true}], "a": 0.5 }}',
    );
    expectText(signPrehash(data), '1PUT/p{"b":[1,{"z":null,"a":true}],"a":0.5}');
  });

  it('rejects integer-like names anywhere in an object body', () => {
    const data = received('{"timestamp":"1","method":"PUT","path":"/p","body":{"a":[{"x":1,"10":2}]}}');
    expectIssue(
      signPrehash(data),
      'data.body.a[0]["10"]',
      /position in the order sent is lost; rename it, or send the text to sign as a string$/,
    );
  });

  it('signs an array body compact, in the order sent, and rejects an array as a form', () => {
    const body = [{ instId: 'BTC-USDT', sz: '2' }, { instId: 'ETH-USDT' }];
    expectText(signPrehash({ body }, '{body}'), '[{"instId":"BTC-USDT","sz":"2"},{"instId":"ETH-USDT"}]');
    expectParts(signPrehash({ body }, '{body}'), { body: '[{"instId":"BTC-USDT","sz":"2"},{"instId":"ETH-USDT"}]' });
    expectIssue(signPrehash({ body }, '{body}', { body: 'form' }), 'data.body', /^must be an object, a string/);
    expectIssue(
      signPrehash(received('{"body":[{"x":1,"10":2}]}'), '{body}'),
      'data.body[0]["10"]',
      /position in the order sent is lost/,
    );
  });

  for (const body of [null, 5, true]) {
    it(`rejects ${JSON.stringify(body)} as body`, () => {
      expectIssue(
        signPrehash({ ...REQUEST, body }),
        'data.body',
        /^must be an object, an array, the JSON text of one without white space around it, or absent/,
      );
    });
  }

  it('rejects a timestamp that is missing or mistyped, and an invalid path', () => {
    for (const name of ['timestamp', 'path']) {
      const { [name]: _left, ...rest } = REQUEST;
      expectIssue(signPrehash(rest), `data.${name}`, /^is missing; it must be/);
    }
    expectIssue(signPrehash({ ...REQUEST, timestamp: 1.5 }), 'data.timestamp', /^must be a string or an integer$/);
    expectIssue(signPrehash({ ...REQUEST, path: 'api' }), 'data.path', /^must be a path that starts with \//);
  });

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

  it('keeps the text between placeholders and repeats placeholders', () => {
    expectText(
      signPrehash({ method: 'post', path: '/api/v5/trade/order' }, '{METHOD}\n{path}\n{METHOD}$&{method}'),
      'POST\n/api/v5/trade/order\nPOST$&post',
    );
  });

  it('replaces each placeholder once: braces in the parts have no effect', () => {
    const data = { timestamp: '{path}', method: 'GET', path: '/a$1$&', body: '["{timestamp}"]' };
    expectText(signPrehash(data, '{timestamp}{METHOD}{path}{body}'), '{path}GET/a$1$&["{timestamp}"]');
  });

  it('throws on a template that the configuration must reject', () => {
    expect(() => signPrehash(REQUEST, '{secret}')).to.throw('The prehash template has an unknown placeholder');
  });
});

describe('payload rule prehash: timestamps', () => {
  it('signs the format that the platform requires, and returns what it converted', () => {
    const iso = signPrehash({ timestamp: '2020-12-08T09:08:57.715Z' }, '{timestamp}', { timestamp: 'iso' });
    expectText(iso, '2020-12-08T09:08:57.715Z');
    expectParts(iso, undefined);
    for (const timestamp of ['2020-12-08T09:08:57.715Z', 1607418537715]) {
      const outcome = signPrehash({ timestamp }, '{timestamp}', { timestamp: 'ms' });
      expectText(outcome, '1607418537715');
      expectParts(outcome, { timestamp: '1607418537715' });
    }
    const seconds = signPrehash({ timestamp: '2020-12-08T09:08:57.000Z' }, '{timestamp}', { timestamp: 's' });
    expectText(seconds, '1607418537');
    expectParts(seconds, { timestamp: '1607418537' });
    expectIssue(signPrehash({ timestamp: 1 }, '{timestamp}', { timestamp: 's' }), 'data.timestamp', /10 digits/);
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
    expectParts(signPrehash({ query: 'b=x' }, 'q={query}'), undefined);
    expectText(signPrehash({}, 'q={query}'), 'q=');
  });

  it('signs an object in the style that the platform requires', () => {
    const query = { sort: true, encode: 'none' } as const;
    const outcome = signPrehash({ query: { b: 'x y', a: 1 } }, '{query}', { query });
    expectText(outcome, 'a=1&b=x y');
    expectParts(outcome, { query: 'a=1&b=x y' });
    expectIssue(signPrehash({ query: { b: 'x&y' } }, '{query}', { query }), 'data.query.b', /^must not have &/);
  });

  it('repeats a parameter for each element of a list, unless parameters are sorted or not encoded', () => {
    const query = { product_id: ['BTC-USD', 'ETH-USD'], limit: 5 };
    const outcome = signPrehash({ path: '/fills', query }, '{path}{?query}');
    expectText(outcome, '/fills?product_id=BTC-USD&product_id=ETH-USD&limit=5');
    expectParts(outcome, { query: 'product_id=BTC-USD&product_id=ETH-USD&limit=5' });
    for (const style of [{ sort: true }, { encode: 'none' }] as const) {
      const refused = signPrehash({ path: '/fills', query }, '{path}{?query}', { query: style });
      expectIssue(refused, 'data.query.product_id', /give its JSON text$/);
    }
  });

  it('{?query}: includes its ? only if a query exists', () => {
    expectText(signPrehash({ path: '/a', query: { b: 1 } }, '{path}{?query}'), '/a?b=1');
    expectParts(signPrehash({ path: '/a', query: { b: 1 } }, '{path}{?query}'), { query: 'b=1' });
    expectText(signPrehash({ path: '/a', query: 'b=1' }, '{path}{?query}'), '/a?b=1');
    for (const data of [{ path: '/a' }, { path: '/a', query: '' }, { path: '/a', query: {} }]) {
      expectText(signPrehash(data, '{path}{?query}'), '/a');
    }
    expectText(signPrehash({ path: '/a?b=1' }, '{path}{?query}'), '/a?b=1');
  });

  it('rejects a query in the path if the query is signed before encoding', () => {
    const decoded = { query: { encode: 'none' } } as const;
    expectIssue(signPrehash({ path: '/a?b=%C3%A9' }, '{path}{?query}', decoded), 'data.path', /^must not have a query/);
    expectText(signPrehash({ path: '/a', query: { b: 'é' } }, '{path}{?query}', decoded), '/a?b=é');
  });

  describe('with requirements on the path', () => {
    it('rejects a query in a path that must have none', () => {
      const options = { path: { query: 'none' } } as const;
      expectText(signPrehash({ path: '/a' }, '{path}', options), '/a');
      for (const path of ['/a?', '/a?b=1']) {
        expectIssue(
          signPrehash({ path }, '{path}', options),
          'data.path',
          /^must not have a query \(\?…\): this platform does not sign it$/,
        );
      }
      expectText(signPrehash({ path: '/a', query: { b: 1 } }, '{path}{?query}', options), '/a?b=1');
    });

    it('rejects a path with another start', () => {
      const options = { path: { start: '/v2/' } };
      expectText(signPrehash({ path: '/v2/a?b=1' }, '/api{path}', options), '/api/v2/a?b=1');
      for (const path of ['/api/v2/a', '/v2', '/v20/a', '/V2/a', '/']) {
        expectIssue(signPrehash({ path }, '/api{path}', options), 'data.path', /^must start with \/v2\/, as the rule/);
      }
      expectIssue(signPrehash({ path: 'v2/a' }, '/api{path}', options), 'data.path', /^must be a path that starts/);
      expectIssue(signPrehash({}, '/api{path}', options), 'data.path', /^is missing/);
    });

    it('rejects what presets Bitfinex and Polymarket say that their venues do not sign', () => {
      const bitfinex = (path: string) =>
        buildPayload({ path, nonce: 1 }, BITFINEX.platform.payload, payloadContext({}));
      expectText(bitfinex('/v2/auth/r/wallets'), '/api/v2/auth/r/wallets1');
      expectIssue(bitfinex('/api/v2/auth/r/wallets'), 'data.path', /^must start with \/v2\//);
      expectIssue(bitfinex('/v2/auth/r/wallets?limit=1'), 'data.path', /^must not have a query/);
      const data = { timestamp: 1_700_000_000, method: 'GET', path: '/data/orders?market=0x1' };
      const polymarket = buildPayload(data, POLYMARKET.platform.payload, payloadContext({}));
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
  const body = { b: 'x y', a: 1.5, c: 'é' };

  it('writes an object as a form, in the order sent or sorted', () => {
    const form = signPrehash({ body }, '{body}', { body: 'form' });
    expectText(form, 'b=x%20y&a=1.5&c=%C3%A9');
    expectParts(form, { body: 'b=x%20y&a=1.5&c=%C3%A9' });
    expectText(signPrehash({ body }, '{body}', { body: 'form-sorted' }), 'a=1.5&b=x%20y&c=%C3%A9');
    expectText(signPrehash({ body: 'z=1&a=2' }, '{body}', { body: 'form-sorted' }), 'z=1&a=2');
    expectIssue(signPrehash({ body: { a: [1] } }, '{body}', { body: 'form' }), 'data.body.a', /give its JSON text$/);
    expectIssue(
      signPrehash(received('{"body":{"a":1,"2":3}}'), '{body}', { body: 'form' }),
      'data.body["2"]',
      /position/,
    );
  });

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

    it(`replaces the body with its ${bodyHash}, and returns the body`, () => {
      const text = '{"b":"x y","a":1.5,"c":"é"}';
      const digest = createHash(bodyHash).update(text, 'utf8').digest('hex');
      const outcome = signPrehash({ body }, 'h={body}', { bodyHash });
      expectText(outcome, `h=${digest}`);
      expectParts(outcome, { body: text });
      expectText(signPrehash({ body: text }, 'h={body}', { bodyHash }), `h=${digest}`);
      expectParts(signPrehash({ body: text }, 'h={body}', { bodyHash }), undefined);
      expectText(signPrehash({}, '{body}', { bodyHash }), createHash(bodyHash).digest('hex'));
    });
  }

  it('hashes an absent body as empty', () => {
    expectText(signPrehash({}, '{body}', { bodyHash: 'sha256' }), SHA256_OF_NOTHING);
    expectText(signPrehash({ body }, '{body}', { bodyHash: 'none' }), '{"b":"x y","a":1.5,"c":"é"}');
  });
});

describe('payload rule prehash: separator', () => {
  const gateLike = { separator: '\n', timestamp: 's', bodyHash: 'sha256' } as const;

  it('is placed between adjacent placeholders, whatever their values', () => {
    const data = { method: 'GET', path: '/v4/orders', query: { limit: 50 }, timestamp: '2023-11-14T22:13:20Z' };
    const text = `GET\n/v4/orders\nlimit=50\n${SHA256_OF_NOTHING}\n1700000000`;
    expect(text).to.have.lengthOf(99);
    const outcome = signPrehash(data, '{METHOD}{path}{query}{body}{timestamp}', gateLike);
    expectBytes(
      outcome,
      text,
      '4745540a2f76342f6f72646572730a6c696d69743d35300a' +
        '65336230633434323938666331633134396166626634633839393666623932343237616534316534363439623933346361343935393931623738353262383535' +
        '0a31373030303030303030',
    );
    expectParts(outcome, { query: 'limit=50', timestamp: '1700000000' });
    const { query: _left, ...rest } = data;
    expectText(
      signPrehash(rest, '{METHOD}{path}{query}{body}{timestamp}', gateLike),
      `GET\n/v4/orders\n\n${SHA256_OF_NOTHING}\n1700000000`,
    );
  });

  it('is placed neither next to other text nor at the ends nor before {?query}', () => {
    const data = { method: 'GET', path: '/a', query: 'b=1', nonce: 5 };
    expectText(
      signPrehash(data, 'v1{METHOD}{path}{?query}{data.nonce}:{account.k}{method}', { separator: '|' }, { k: 'K' }),
      'v1GET|/a?b=1|5:K|get',
    );
  });

  it('is taken literally', () => {
    expectText(signPrehash({ method: 'GET', path: '/a' }, '{METHOD}{path}', { separator: '$&' }), 'GET$&/a');
  });
});

describe('payload rule prehash: named values', () => {
  it('accepts strings and integers from data', () => {
    expectText(signPrehash({ nonce: 'é5', expires: 1518064236 }, '{data.nonce}{data.expires}'), 'é51518064236');
    expectText(signPrehash({ n: -0 }, '{data.n}'), '0');
    expectText(signPrehash({ n: '' }, 'n={data.n}'), 'n=');
    expectParts(signPrehash({ n: 5 }, '{data.n}'), undefined);
  });

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
    expectParts(outcome, { values: { apiKey: 'nobody', recvWindow: '5000' } });
    for (const name of ['apiKey', 'recvwindow']) {
      expectIssue(
        signPrehash({ timestamp: '1', [name]: 'x' }, template, { values }),
        `data.${name}`,
        /^must be absent: its value/,
      );
    }
  });

  it('throws for a missing value that the configuration must reject', () => {
    expect(() => signPrehash({ path: '/a' }, '{path}{account.apiKey}')).to.throw('no value named apiKey');
    expect(() => signPrehash({ path: '/a' }, '{path}{account.toString}', { values: {} })).to.throw('named toString');
  });

  it('returns the passphrase of an account that has it, without signing it', () => {
    const signed = signPrehash({ path: '/a' }, '{path}', { passphrase: 'mac' }, { passphrase: 'bWFj' });
    expectText(signed, '/a');
    expectParts(signed, { values: { passphrase: 'bWFj' } });
    expectParts(signPrehash({ path: '/a' }, '{path}', { passphrase: 'mac' }), undefined);
    expectParts(signPrehash({ path: '/a' }, '{path}', {}, { passphrase: 'bWFj' }), undefined);
    expectIssue(
      signPrehash({ path: '/a', passphrase: 'x' }, '{path}', { passphrase: 'mac' }),
      'data.passphrase',
      /^must be absent: its value is fixed/,
    );
  });

  it('writes an object body as a sorted form that is not encoded', () => {
    const body = { symbol: 'BTC-USDT', note: 'a/b c', é: 1 };
    const signed = signPrehash({ path: '/a', body }, '{path}{body}', { body: 'form-sorted-unencoded' });
    expectText(signed, '/anote=a/b c&symbol=BTC-USDT&é=1');
    expectParts(signed, { body: 'note=a/b c&symbol=BTC-USDT&é=1' });
    const ambiguous = signPrehash({ path: '/a', body: { a: '1&b=2' } }, '{body}', { body: 'form-sorted-unencoded' });
    expectIssue(ambiguous, 'data.body.a', /^must not have &/);
  });

  it('signs by the given rule, even after another one', () => {
    expectText(signPrehash({ path: '/a' }, '{path}'), '/a');
    expectText(signPrehash({ path: '/a' }, '{path}!'), '/a!');
  });
});
