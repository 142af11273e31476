import { Buffer } from 'node:buffer';
import { expect } from 'chai';
import { TypedDataEncoder } from 'ethers';
import type { JsonObject, JsonValue } from '../../../../../src/domain/model/json.ts';
import type { FixedValues, QueryRule } from '../../../../../src/domain/model/payload-rule.ts';
import { queryPayload } from '../../../../../src/domain/payload/rules/query.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { expectIssue, expectParts, expectText } from '../payload-expectations.ts';

const REQUEST = { method: 'POST', endpoint: '/x' };

function sign(data: JsonObject, options: Partial<QueryRule> = {}, values: FixedValues = {}) {
  return queryPayload(data, { rule: 'query', field: 'params', ...options }, payloadContext(values));
}

function signQuery(params: JsonValue, options: Partial<QueryRule> = {}) {
  return sign({ ...REQUEST, params }, options);
}

describe('payload rule query', () => {
  it('joins the members in the order sent', () => {
    const outcome = signQuery({ symbol: 'BTCUSDT', side: 'BUY', a: '1' });
    expectText(outcome, 'symbol=BTCUSDT&side=BUY&a=1');
    expectParts(outcome, undefined);
  });

  it('percent-encodes UTF-8', () => {
    const text = 'symbol=%EF%BC%91BTC&price=0.1&note=a%20b%26c';
    expect(text).to.have.lengthOf(44);
    expectText(signQuery({ symbol: '１BTC', price: 0.1, note: 'a b&c' }), text);
    expectText(signQuery({ é: '😀' }), '%C3%A9=%F0%9F%98%80');
  });

  it('leaves exactly the unreserved characters of RFC 3986 unchanged', () => {
    const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
    const expected = [...ascii].map((sign) =>
      /[A-Za-z0-9._~-]/.test(sign) ? sign : `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
    expectText(signQuery({ v: ascii }), `v=${expected.join('')}`);
    expectText(signQuery({ [ascii]: '' }), `${expected.join('')}=`);
  });

  it('writes numbers as JSON does, and booleans', () => {
    const params = JSON.parse('{"a":219.0,"b":-0,"c":1e-6,"d":1700000000000,"e":true,"f":false,"g":0.1}');
    expectText(signQuery(params), 'a=219&b=0&c=0.000001&d=1700000000000&e=true&f=false&g=0.1');
  });

  it('repeats a parameter for each element of a list, and names an element that is no text', () => {
    const params = { asset: ['BTC', 'US DT', 7, true], timestamp: 1700000000000 };
    expectText(signQuery(params), 'asset=BTC&asset=US%20DT&asset=7&asset=true&timestamp=1700000000000');
    expectIssue(signQuery({ asset: [] }), 'data.params.asset', /^must have at least one element$/);
    expectIssue(signQuery({ asset: ['BTC', 1e-8] }), 'data.params.asset[1]', /with an exponent/);
    for (const element of [['BTC'], { a: 1 }]) {
      expectIssue(signQuery({ asset: [element] }), 'data.params.asset[0]', /give its JSON text$/);
    }
  });

  it('rejects a list where parameters are sorted or not encoded', () => {
    for (const options of [{ sort: true }, { encode: 'none' }] as const) {
      expectIssue(signQuery({ asset: ['BTC'] }, options), 'data.params.asset', /give its JSON text$/);
    }
  });

  it('keeps strings that look like numbers unchanged', () => {
    expectText(signQuery({ price: '219.00', quantity: '0.10' }), 'price=219.00&quantity=0.10');
  });

  it('rejects a parameter that is null or an object and names it', () => {
    const wanted = /^must be a string, a number or a boolean/;
    for (const extra of [null, { y: 1 }]) expectIssue(signQuery({ symbol: 'A', extra }), 'data.params.extra', wanted);
  });

  it('rejects a name that would be reordered', () => {
    expectIssue(
      signQuery(JSON.parse('{"a":"1","10":"2"}')),
      'data.params["10"]',
      /position in the order sent is lost; rename it, as the rule of this platform takes no text/,
    );
    expectText(signQuery(JSON.parse('{"a":"1","010":"2"}')), 'a=1&010=2');
  });

  it('rejects an empty object', () => {
    expectIssue(signQuery({}), 'data.params', /at least one parameter/);
  });

  for (const value of [null, 'a=b', 1, true, ['a']]) {
    it(`rejects ${JSON.stringify(value)} instead of the object`, () => {
      expectIssue(signQuery(value), 'data.params', /^must be an object/);
    });
  }

  it('rejects data without the field, including an inherited one', () => {
    expectIssue(sign({ other: {} }), 'data.params', /^is missing; it must be/);
    expectIssue(sign({ other: {} }, { field: 'toString' }), 'data.toString', /^is missing/);
  });

  it('reads the field that the platform names', () => {
    expectText(sign({ method: 'GET', payload: { b: 2 } }, { field: 'payload' }), 'b=2');
    expectIssue(sign({ params: { a: 1 }, payload: { b: 2 } }, { field: 'payload' }), 'data.params', /^must be absent/);
    expectIssue(sign({ params: { a: 1 }, body: { b: 2 } }), 'data.body', /^must be absent/);
  });
});

describe('payload rule query: order and encoding', () => {
  it('sorts by name, integer names included', () => {
    const params = JSON.parse('{"timeInForce":"GTC","symbol":"１","apiKey":"k","10":1,"Z":2}');
    expectText(signQuery(params, { sort: true }), '10=1&Z=2&apiKey=k&symbol=%EF%BC%91&timeInForce=GTC');
    expectText(signQuery(params, { sort: true, encode: 'none' }), '10=1&Z=2&apiKey=k&symbol=１&timeInForce=GTC');
  });

  it('leaves names and values unchanged, and rejects those that would be ambiguous', () => {
    expectText(signQuery({ b: 'é x=%', a: 1 }, { encode: 'none' }), 'b=é x=%&a=1');
    expectIssue(signQuery({ b: 'x&a=1' }, { encode: 'none' }), 'data.params.b', /^must not have &/);
    expectIssue(signQuery({ b: 'x\ny' }, { encode: 'none' }), 'data.params.b', /^must not contain control characters/);
    expectIssue(signQuery({ 'b=': 'x' }, { encode: 'none' }), 'data.params["b="]', /^must not have & or = in its name/);
  });
});

describe('payload rule query: names', () => {
  it('rejects a name with 13 digits in a row, in which another text of the key could have a time', () => {
    for (const options of [{}, { sort: true }, { encode: 'none' }] as const) {
      const params = { key1700000000000page_num: 1 };
      expectIssue(
        signQuery(params, options),
        'data.params.key1700000000000page_num',
        /^must not have 13 digits in a row/,
      );
    }
    expectText(signQuery({ a170000000000: 1, b: '1700000000000' }), 'a170000000000=1&b=1700000000000');
  });

  it('requires and excludes parameters by name', () => {
    const options = { parameters: { apiKey: 'required', timestamp: 'excluded' } } as const;
    expectText(signQuery({ apiKey: 'k', Timestamp: 1 }, options), 'apiKey=k&Timestamp=1');
    expectIssue(signQuery({ apikey: 'k' }, options), 'data.params.apiKey', /^is missing; the rule of this platform/);
    expectIssue(signQuery({ apiKey: 'k', timestamp: 1 }, options), 'data.params.timestamp', /^must be absent: with it/);
  });
});

describe('payload rule query: prefix and suffix', () => {
  it('puts them around the parameters, and returns the parameters', () => {
    const options = { sort: true, prefix: '{METHOD}\nhost.example\n{path}\n', suffix: '|{timestamp}' } as const;
    const outcome = sign(
      { method: 'get', path: '/v1/a', timestamp: '1578565539808', params: { b: 'x y', a: 1 } },
      options,
    );
    expectText(outcome, 'GET\nhost.example\n/v1/a\na=1&b=x%20y|1578565539808');
    expectParts(outcome, { query: 'a=1&b=x%20y' });
  });

  it('fills in values of data and of the account, and a body', () => {
    const options = { prefix: '{account.apiKey}:', suffix: '&nonce={data.nonce}{body}' } as const;
    const data = { params: { a: 1 }, nonce: 7, body: { b: [1] } };
    const outcome = sign(data, options, { apiKey: 'K' });
    expectText(outcome, 'K:a=1&nonce=7{"b":[1]}');
    expectParts(outcome, { query: 'a=1', body: '{"b":[1]}', values: { apiKey: 'K' } });
    expectText(sign({ ...data, body: '[ ]' }, options, { apiKey: 'K' }), 'K:a=1&nonce=7[ ]');
    expectIssue(sign({ ...data, body: 'x=1' }, options, { apiKey: 'K' }), 'data.body', /the JSON text of one/);
    expectIssue(sign({ ...data, nonce: '7&b=1' }, options, { apiKey: 'K' }), 'data.nonce', /^must not have & or =/);
    expect(() => sign(data, options)).to.throw('no value named apiKey');
  });

  it('converts their timestamp to the format that the platform requires', () => {
    const options = { suffix: '|{timestamp}', timestamp: 'ms' } as const;
    const outcome = sign({ params: { a: 1 }, timestamp: '2020-12-08T09:08:57.715Z' }, options);
    expectText(outcome, 'a=1|1607418537715');
    expectParts(outcome, { query: 'a=1', timestamp: '1607418537715' });
    expectIssue(sign({ params: { a: 1 }, timestamp: 'x' }, options), 'data.timestamp', /13 digits/);
  });

  it('signs a numeric timestamp by its name in data', () => {
    const outcome = sign(
      { params: { b: 'é', a: 1 }, timestamp: 1700000000000 },
      { sort: true, encode: 'none', suffix: '|{data.timestamp}' },
    );
    expectText(outcome, 'a=1&b=é|1700000000000');
    expect(outcome).to.have.nested.property('value.bytes.length', 22);
    expectParts(outcome, { query: 'a=1&b=é' });
  });

  it('accepts empty parameters if the prefix or suffix is not empty', () => {
    expectText(sign({ params: {}, timestamp: '5' }, { suffix: '|{timestamp}' }), '|5');
    expectIssue(sign({ params: {}, x: '' }, { suffix: '{data.x}' }), 'data.params', /at least one parameter/);
  });

  it('rejects what a template rejects', () => {
    expectIssue(sign({ params: { a: 1 } }, { suffix: '|{timestamp}' }), 'data.timestamp', /^is missing/);
    expectIssue(sign({ params: { a: 1 }, path: 'x' }, { prefix: '{path}' }), 'data.path', /^must be a path/);
    expectIssue(
      sign({ params: { a: 1 }, path: '/a?b=1' }, { prefix: '{path}' }),
      'data.path',
      /^must not have a query/,
    );
    expectText(sign({ params: { a: 1 }, path: '/a?b=1' }, { prefix: '-' }), '-a=1');
  });

  it('throws on templates that the configuration must reject', () => {
    expect(() => signQuery({ a: 1 }, { prefix: '{query}' })).to.throw(
      "The query rule's prefix must not contain {query}",
    );
    expect(() => signQuery({ a: 1 }, { suffix: '{secret}' })).to.throw("The query rule's suffix has an unknown");
  });
});

describe('payload rule query: as typed data', () => {
  const domain = {
    name: 'AsterSignTransaction',
    version: '1',
    chainId: 1666,
    verifyingContract: '0x0000000000000000000000000000000000000000',
  };
  const typedData = { domain, primaryType: 'Message', member: 'msg' };

  function encoded(msg: string): string {
    return TypedDataEncoder.encode(domain, { Message: [{ name: 'msg', type: 'string' }] }, { msg }).slice(2);
  }

  it('wraps the text as the only string member of an EIP-712 message, and returns the text', () => {
    const outcome = signQuery({ symbol: '１', side: 'BUY' }, { typedData });
    const text = 'symbol=%EF%BC%91&side=BUY';
    if (!outcome.ok) throw new Error(outcome.refusal.message);
    expect(outcome.value.text).to.equal(encoded(text));
    expect(outcome.value.encoding).to.equal('hex');
    expect(Buffer.from(outcome.value.bytes).toString('hex')).to.equal(encoded(text));
    expectParts(outcome, { query: text });
  });

  it('includes prefix and suffix in the text', () => {
    const outcome = sign({ params: { a: 1 }, nonce: 5 }, { typedData, suffix: '&nonce={data.nonce}' });
    expect(outcome).to.have.nested.property('value.text', encoded('a=1&nonce=5'));
    expectParts(outcome, { query: 'a=1&nonce=5' });
  });

  it('rejects an empty text', () => {
    expectIssue(signQuery({}, { typedData }), 'data.params', /at least one parameter/);
    const long = 'a'.repeat(65_536 - 'a='.length);
    expect(signQuery({ a: long }, { typedData }).ok).to.equal(true);
    expectIssue(signQuery({ a: `${long}a` }, { typedData }), 'data', /text of more than 65536 characters/);
  });
});
