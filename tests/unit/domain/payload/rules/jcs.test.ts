import { expect } from 'chai';
import { jcsPayload } from '../../../../../src/domain/payload/rules/jcs.ts';
import { expectBytes, expectIssue, expectText } from '../payload-expectations.ts';

describe('payload rule jcs', () => {
  it('signs the canonical form of the whole data', () => {
    const data = { nonce: 1700000000000, instruction: { type: 'order', side: 'buy' } };
    const text = '{"instruction":{"side":"buy","type":"order"},"nonce":1700000000000}';
    expect(text).to.have.lengthOf(67);
    expectText(jcsPayload(data, { rule: 'jcs' }), text);
  });

  it('signs the canonical form of one field', () => {
    const outcome = jcsPayload({ message: { symbol: 'é', action: 'buy' }, id: 7 }, { rule: 'jcs', field: 'message' });
    expectBytes(
      outcome,
      '{"action":"buy","symbol":"é"}',
      '7b22616374696f6e223a22627579222c2273796d626f6c223a22c3a9227d',
    );
  });

  it('signs a string in that field verbatim, not as JSON', () => {
    expectBytes(jcsPayload({ message: 'hello' }, { rule: 'jcs', field: 'message' }), 'hello', '68656c6c6f');
    expectText(jcsPayload({ message: '{"b": 1, "a":2}' }, { rule: 'jcs', field: 'message' }), '{"b": 1, "a":2}');
    expectText(jcsPayload({ message: '0xdeadbeef' }, { rule: 'jcs', field: 'message' }), '0xdeadbeef');
  });

  it('signs an array in that field', () => {
    expectText(jcsPayload({ orders: [{ b: 1, a: 2 }] }, { rule: 'jcs', field: 'orders' }), '[{"a":2,"b":1}]');
  });

  it('rejects data without the field and names it', () => {
    expectIssue(
      jcsPayload({ other: 'x' }, { rule: 'jcs', field: 'message' }),
      'data.message',
      /^is missing; it must be/,
    );
    expectIssue(jcsPayload({}, { rule: 'jcs', field: 'odd field' }), 'data["odd field"]', /^is missing/);
  });

  for (const value of [null, 0, true]) {
    it(`rejects ${value} in the field`, () => {
      expectIssue(
        jcsPayload({ message: value }, { rule: 'jcs', field: 'message' }),
        'data.message',
        /^must be an object/,
      );
    });
  }

  it('does not treat an inherited property as a field', () => {
    expectIssue(jcsPayload({}, { rule: 'jcs', field: 'constructor' }), 'data.constructor', /^is missing/);
  });
});
