import { expect } from 'chai';
import type { JsonObject } from '../../../../src/domain/model/json.ts';
import { findTemplateIssue, prehashPayload } from '../../../../src/domain/payload/prehash.ts';
import { expectIssue, expectText } from './payload-expectations.ts';

const TEMPLATE = '{timestamp}{METHOD}{path}{body}';
const REQUEST: JsonObject = { timestamp: '2020-12-08T09:08:57.715Z', method: 'post', path: '/api/v5/trade/order' };

function signPrehash(data: JsonObject, template = TEMPLATE) {
  return prehashPayload(data, { rule: 'prehash', template });
}

/** JSON text as it arrives, so that member order and number spelling are the sender's. */
function received(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

describe('payload rule prehash', () => {
  it('puts the parts together, the method in upper case', () => {
    const text = '2020-12-08T09:08:57.715ZPOST/api/v5/trade/order{"instId":"BTC-USDT","sz":"2"}';
    expect(text).to.have.lengthOf(77);
    expectText(signPrehash({ ...REQUEST, body: { instId: 'BTC-USDT', sz: '2' } }), text);
  });

  it('signs an absent body as nothing', () => {
    expectText(signPrehash(REQUEST), '2020-12-08T09:08:57.715ZPOST/api/v5/trade/order');
  });

  it('signs a text body verbatim', () => {
    const body = '{ "price": 219.0,\n "10": "é" }';
    expectText(signPrehash({ ...REQUEST, body }), `2020-12-08T09:08:57.715ZPOST/api/v5/trade/order${body}`);
  });

  it('signs an object body compact, in the order sent', () => {
    const data = received(
      '{"timestamp":"1","method":"PUT","path":"/p","body":{ "b": [1, {"z":null,"a":true}], "a": 0.5 }}',
    );
    expectText(signPrehash(data), '1PUT/p{"b":[1,{"z":null,"a":true}],"a":0.5}');
  });

  it('refuses integer-like names anywhere in an object body', () => {
    const data = received('{"timestamp":"1","method":"PUT","path":"/p","body":{"a":[{"x":1,"10":2}]}}');
    expectIssue(signPrehash(data), 'data.body.a[0]["10"]', /loses its place/);
  });

  for (const body of [null, 5, true, ['a']]) {
    it(`refuses ${JSON.stringify(body)} as body`, () => {
      expectIssue(
        signPrehash({ ...REQUEST, body }),
        'data.body',
        /object, a string that is signed verbatim, or absent/,
      );
    });
  }

  for (const name of ['timestamp', 'path']) {
    it(`refuses a missing ${name} and one that is no text`, () => {
      const { [name]: _left, ...rest } = REQUEST;
      expectIssue(signPrehash(rest), `data.${name}`, /^is missing; it must be a string$/);
      expectIssue(signPrehash({ ...REQUEST, [name]: 1700000000000 }), `data.${name}`, /^must be a string$/);
    });
  }

  it('refuses a method that is missing or is not made of letters', () => {
    const { method: _left, ...rest } = REQUEST;
    expectIssue(signPrehash(rest), 'data.method', /^is missing; it must be an HTTP method/);
    for (const method of ['', 'PO ST', 'post\n', 'ﬁnd', 7, null]) {
      expectIssue(signPrehash({ ...REQUEST, method }), 'data.method', /^must be an HTTP method/);
    }
  });

  it('does not look at fields that the template does not name', () => {
    expectText(signPrehash({ path: '/a', body: null, timestamp: 7 }, '{path}'), '/a');
  });

  it('keeps the text between placeholders and repeats placeholders', () => {
    expectText(signPrehash(REQUEST, '{METHOD}\n{path}\n{METHOD}$&'), 'POST\n/api/v5/trade/order\nPOST$&');
  });

  it('replaces each placeholder once: braces in the parts mean nothing', () => {
    const data = { timestamp: '{path}', method: 'GET', path: '{body}$1$&', body: '{timestamp}{' };
    expectText(signPrehash(data), '{path}GET{body}$1$&{timestamp}{');
  });

  it('throws on a template that configuration must not let through', () => {
    expect(() => signPrehash(REQUEST, '{secret}')).to.throw('The prehash template has an unknown placeholder');
  });
});

describe('findTemplateIssue', () => {
  for (const template of [TEMPLATE, '{body}', '{METHOD}\n{path}\n{timestamp}', 'v1:{path}?']) {
    it(`has nothing against ${JSON.stringify(template)}`, () => {
      expect(findTemplateIssue(template)).to.equal(undefined);
    });
  }

  for (const template of ['{method}', '{timestamp}{nonce}', '{}', '{ path }', '{__proto__}', '{constructor}']) {
    it(`refuses the unknown placeholder in ${template}`, () => {
      const issue = findTemplateIssue(template);
      expect(issue?.path).to.equal('');
      expect(issue?.message).to.match(/unknown placeholder.*\{timestamp\}, \{METHOD\}, \{path\}, \{body\}/);
    });
  }

  for (const template of ['{timestamp', 'timestamp}', '{{path}}', '{path}{', '}{', '{timestamp{path}']) {
    it(`refuses the lone brace in ${template}`, () => {
      expect(findTemplateIssue(template)?.message).to.match(/brace without its partner/);
    });
  }

  for (const template of ['', 'constant']) {
    it(`refuses "${template}", which would sign the same bytes for every request`, () => {
      expect(findTemplateIssue(template)?.message).to.match(/at least one of the placeholders/);
    });
  }

  it('refuses a template without a UTF-8 form', () => {
    expect(findTemplateIssue('{path}\ud800')?.message).to.match(/lone surrogate/);
  });
});
