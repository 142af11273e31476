import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../src/domain/model/json.ts';
import { queryPayload } from '../../../../src/domain/payload/query.ts';
import { expectIssue, expectText } from './payload-expectations.ts';

function signQuery(params: JsonValue) {
  return queryPayload({ method: 'POST', endpoint: '/x', params }, { rule: 'query', field: 'params' });
}

describe('payload rule query', () => {
  it('joins the members in the order sent', () => {
    expectText(signQuery({ symbol: 'BTCUSDT', side: 'BUY', a: '1' }), 'symbol=BTCUSDT&side=BUY&a=1');
  });

  it('percent-encodes UTF-8', () => {
    const text = 'symbol=%EF%BC%91BTC&price=0.1&note=a%20b%26c';
    expect(text).to.have.lengthOf(44);
    expectText(signQuery({ symbol: '１BTC', price: 0.1, note: 'a b&c' }), text);
    expectText(signQuery({ é: '😀' }), '%C3%A9=%F0%9F%98%80');
  });

  it('leaves exactly the unreserved characters of RFC 3986 as they are', () => {
    const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
    const expected = [...ascii].map((sign) =>
      /[A-Za-z0-9._~-]/.test(sign) ? sign : `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
    );
    expectText(signQuery({ v: ascii }), `v=${expected.join('')}`);
    expectText(signQuery({ [ascii]: '' }), `${expected.join('')}=`);
  });

  it('writes numbers as JSON does, and booleans', () => {
    const params = JSON.parse('{"a":219.0,"b":-0,"c":1e-7,"d":1700000000000,"e":true,"f":false,"g":0.1}');
    expectText(signQuery(params), 'a=219&b=0&c=1e-7&d=1700000000000&e=true&f=false&g=0.1');
  });

  it('keeps texts that look like numbers as they are', () => {
    expectText(signQuery({ price: '219.00', quantity: '0.10' }), 'price=219.00&quantity=0.10');
  });

  for (const [kind, value] of Object.entries({ null: null, array: ['x'], object: { y: 1 } })) {
    it(`refuses a parameter that is ${kind} and names it`, () => {
      expectIssue(
        signQuery({ symbol: 'A', extra: value }),
        'data.params.extra',
        /^must be a string, a number or a boolean$/,
      );
    });
  }

  it('refuses a name that loses its place', () => {
    expectIssue(signQuery(JSON.parse('{"a":"1","10":"2"}')), 'data.params["10"]', /loses its place/);
    expectText(signQuery(JSON.parse('{"a":"1","010":"2"}')), 'a=1&010=2');
  });

  it('refuses an empty object', () => {
    expectIssue(signQuery({}), 'data.params', /at least one parameter/);
  });

  for (const value of [null, 'a=b', 1, true, ['a']]) {
    it(`refuses ${JSON.stringify(value)} in place of the object`, () => {
      expectIssue(signQuery(value), 'data.params', /^must be an object/);
    });
  }

  it('refuses data without the field, an inherited one included', () => {
    const missing: JsonObject = { other: {} };
    expectIssue(queryPayload(missing, { rule: 'query', field: 'params' }), 'data.params', /^is missing; it must be/);
    expectIssue(queryPayload(missing, { rule: 'query', field: 'toString' }), 'data.toString', /^is missing/);
  });
});
