import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../../src/domain/model/json.ts';
import type { FixedValues, PayloadRule } from '../../../../../src/domain/model/payload.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { expectIssue, expectParts, expectText } from '../payload-expectations.ts';

const REQUEST = { method: 'POST', endpoint: '/x' };

function sign(data: JsonObject, options: Partial<PayloadRule> = {}, values: FixedValues = {}) {
  return buildPayload(data, { rule: 'query', field: 'params', ...options }, payloadContext(values));
}

function signQuery(params: JsonValue, options: Partial<PayloadRule> = {}) {
  return sign({ ...REQUEST, params }, options);
}

describe('payload rule query', () => {
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

  it('rejects an empty object, and anything else', () => {
    expectIssue(signQuery({}), 'data.params', /at least one parameter/);
    for (const value of [null, 7, ['a']]) expectIssue(signQuery(value), 'data.params', /^must be an object/);
  });

  it('signs a text verbatim, and repeats its parameters', () => {
    for (const text of ['a=b+c&d=@:/?[]', 'a=1&a=2&%C3%A9=%2b', 'a=']) {
      expectText(signQuery(text), text);
      expectParts(signQuery(text), { query: text });
    }
    expectText(sign({ params: '', timestamp: '5' }, { suffix: '|{timestamp}' }), '|5');
    expectIssue(signQuery(''), 'data.params', /at least one parameter/);
  });

  it('rejects a text that is no parameters, or that HTTP clients change', () => {
    expectIssue(signQuery('?a=1'), 'data.params', /^must not start with \?/);
    for (const text of ['a', 'a=1&', '&a=1', 'a=1&&b=2', '=1', 'a=b=c', 'a=b c', 'a="', "a='", 'a=#', 'a=é', 'a=1\n']) {
      expectIssue(signQuery(text), 'data.params', /^must be name=value joined by &/);
    }
  });

  it('rejects a text where parameters are sorted or not encoded, and says why', () => {
    expectIssue(signQuery('a=1', { sort: true }), 'data.params', /^must be an object, .* parameters sorted$/);
    expectIssue(signQuery('a=1', { encode: 'none' }), 'data.params', /^must be an object, .* before they are encoded$/);
  });

  it('finds required, excluded and dated names in a text, also encoded ones', () => {
    const parameters = { apiKey: 'excluded', timestamp: 'required' } as const;
    expectText(signQuery('a=1&timestamp=5', { parameters }), 'a=1&timestamp=5');
    expectIssue(signQuery('a=1', { parameters }), 'data.params.timestamp', /^is missing/);
    expectIssue(signQuery('timestamp=5&%61piKey=1', { parameters }), 'data.params.apiKey', /^must be absent/);
    expectIssue(signQuery('%31700000000000=1'), 'data.params["1700000000000"]', /^must not have 13 digits in a row/);
  });

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

describe('payload rule query: with a form body', () => {
  const form = { body: 'form' } as const;
  const params = { timestamp: 1700000000000 };

  it('signs the body behind the query, without a delimiter', () => {
    const outcome = sign({ ...REQUEST, params, body: { symbol: 'A B', asset: ['B', 'C'] } }, form);
    expectText(outcome, 'timestamp=1700000000000symbol=A%20B&asset=B&asset=C');
    expectParts(outcome, { query: 'timestamp=1700000000000', body: 'symbol=A%20B&asset=B&asset=C' });
    expectText(sign({ params: 'a=1', body: 'b=2+3&c=@' }, form), 'a=1b=2+3&c=@');
    for (const body of [undefined, '', {}]) {
      const without = sign({ params, ...(body === undefined ? {} : { body }) }, form);
      expectText(without, 'timestamp=1700000000000');
      expectParts(without, { query: 'timestamp=1700000000000' });
    }
  });

  it('rejects a parameter of both places, and one of another rule in either', () => {
    expectIssue(sign({ params: { a: 1 }, body: '%61=2' }, form), 'data.body.a', /^must not be .* both query and body$/);
    const excluding = { ...form, parameters: { apiKey: 'excluded' } } as const;
    expectIssue(sign({ params, body: { apiKey: 1 } }, excluding), 'data.body.apiKey', /^must be absent/);
    expectIssue(sign({ params: { apiKey: 1 }, body: { a: 1 } }, excluding), 'data.params.apiKey', /^must be absent/);
    expectIssue(sign({ params, body: { a1700000000000: 1 } }, form), 'data.body.a1700000000000', /13 digits/);
  });

  it('rejects a body alone, and other bodies', () => {
    expectIssue(sign({ params: {}, body: { a: 1 } }, form), 'data.body', /^must be absent if data\.params is empty/);
    expectIssue(sign({ body: { a: 1 } }, form), 'data.params', /^is missing/);
    for (const body of ['{"a":1}', 'a', 'a=1=2']) {
      expectIssue(sign({ params, body }, form), 'data.body', /^must be name=value joined by &/);
    }
    expectIssue(sign({ params, body: ['a'] }, form), 'data.body', /^must be an object/);
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
});

describe('payload rule query: prefix and suffix', () => {
  it('fills in values of data and of the account, and a body', () => {
    const options = { prefix: '{account.apiKey}:', suffix: '&nonce={data.nonce}{body}' } as const;
    const data = { params: { a: 1 }, nonce: 7, body: { b: [1] } };
    const outcome = sign(data, options, { apiKey: 'K' });
    expectText(outcome, 'K:a=1&nonce=7{"b":[1]}');
    expectParts(outcome, { query: 'a=1', body: '{"b":[1]}', data: { nonce: '7' }, values: { apiKey: 'K' } });
    expectText(sign({ ...data, body: '[ ]' }, options, { apiKey: 'K' }), 'K:a=1&nonce=7[ ]');
    expectIssue(sign({ ...data, body: 'x=1' }, options, { apiKey: 'K' }), 'data.body', /the JSON text of one/);
    expectIssue(sign({ ...data, nonce: '7&b=1' }, options, { apiKey: 'K' }), 'data.nonce', /^must not have & or =/);
    expect(() => sign(data, options)).to.throw('no value named apiKey');
  });

  it('accepts empty parameters if the prefix or suffix is not empty', () => {
    expectText(sign({ params: {}, timestamp: '5' }, { suffix: '|{timestamp}' }), '|5');
    expectIssue(sign({ params: {}, x: '' }, { suffix: '{data.x}' }), 'data.params', /at least one parameter/);
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

  it('rejects an empty text', () => {
    expectIssue(signQuery({}, { typedData }), 'data.params', /at least one parameter/);
    const long = 'a'.repeat(65_536 - 'a='.length);
    expect(signQuery({ a: long }, { typedData }).ok).to.equal(true);
    expectIssue(signQuery({ a: `${long}a` }, { typedData }), 'data', /text of more than 65536 characters/);
  });
});
