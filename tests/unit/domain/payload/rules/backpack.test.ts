import { expect } from 'chai';
import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { expectIssue, expectText } from '../payload-expectations.ts';

const payloadOf = (data: JsonObject) => buildPayload(data, { rule: 'backpack' }, payloadContext());

const CANCEL = {
  instruction: 'orderCancel',
  params: { symbol: 'BTC_USDT', orderId: 28 },
  timestamp: 1614550000000,
  window: 5000,
};

describe('payload rule backpack', () => {
  it('signs an instruction without parameters', () => {
    const { params: _left, ...rest } = CANCEL;
    const text = 'instruction=orderCancel&timestamp=1614550000000&window=5000';
    expectText(payloadOf(rest), text);
    expectText(payloadOf({ ...rest, params: {} }), text);
    expectText(payloadOf({ ...rest, orders: [{}, {}] }), `instruction=orderCancel&${text}`);
  });

  it('accepts up to 1000 orders and 64 characters of instruction, to bound the signed text', () => {
    const { params: _left, ...rest } = CANCEL;
    const orders = Array.from({ length: 1000 }, () => ({ a: 1 }));
    const instruction = 'a'.repeat(64);
    expect(payloadOf({ ...rest, instruction, orders }).ok).to.equal(true);
    expectIssue(payloadOf({ ...rest, orders: [...orders, {}] }), 'data.orders', /^must be an array of 1 to 1000/);
    expectIssue(payloadOf({ ...CANCEL, instruction: `${instruction}a` }), 'data.instruction', /1 to 64 letters/);
  });

  it('signs no other field', () => {
    expectText(
      payloadOf({ ...CANCEL, note: 'x', method: 'DELETE' }),
      'instruction=orderCancel&orderId=28&symbol=BTC_USDT&timestamp=1614550000000&window=5000',
    );
    expectIssue(payloadOf({ ...CANCEL, body: { a: 1 } }), 'data.body', /^must be absent/);
  });

  const wrong: readonly (readonly [string, JsonObject, RegExp])[] = [
    ['data.instruction', { instruction: 'a&b=c' }, /^must be/],
    ['data.instruction', { instruction: 'orderCancel\n' }, /^must be/],
    ['data.timestamp', { timestamp: '1614550000000' }, /^must be the milliseconds.*integer of 13 digits/],
    ['data.timestamp', { timestamp: 1614550000000.5 }, /^must be/],
    ['data.window', { window: 0 }, /^must be/],
    ['data.window', { window: 0.5 }, /^must be/],
    ['data.params', { params: null }, /^must be an object with the parameters/],
    ['data.params.a', { params: { a: null } }, /^must be a string, a number or a boolean$/],
    ['data.params.a', { params: { a: 'b&c=d' } }, /^must not have &/],
    ['data.params["a=b"]', { params: { 'a=b': 'c' } }, /^must not have & or = in its name/],
    ['data.params.instruction', { params: { instruction: 'x' } }, /^must not be a parameter/],
    ['data.orders', { orders: [{}] }, /^must be absent if data\.params/],
  ];

  for (const [path, change, message] of wrong) {
    it(`rejects ${JSON.stringify(change)}`, () => {
      expectIssue(payloadOf({ ...CANCEL, ...change }), path, message);
    });
  }

  it('rejects orders that are not an array of objects', () => {
    const { params: _left, ...rest } = CANCEL;
    for (const orders of [null, {}, [], 'x']) {
      expectIssue(payloadOf({ ...rest, orders }), 'data.orders', /^must be an array of 1 to 1000 objects$/);
    }
    expectIssue(payloadOf({ ...rest, orders: [{}, 5] }), 'data.orders[1]', /^must be an object/);
    expectIssue(payloadOf({ ...rest, orders: [{ a: [] }] }), 'data.orders[0].a', /^must be a string/);
    expectIssue(payloadOf({ ...rest, orders: [{}, { instruction: 1 }] }), 'data.orders[1].instruction', /^must not be/);
  });

  for (const name of ['instruction', 'timestamp', 'window']) {
    it(`rejects data without ${name}`, () => {
      const rest = Object.fromEntries(Object.entries(CANCEL).filter(([field]) => field !== name));
      expectIssue(payloadOf(rest), `data.${name}`, /^is missing; it must be/);
    });
  }
});
