import { expect } from 'chai';
import type { JsonObject, JsonValue } from '../../../../../src/domain/model/json.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { expectIssue } from '../payload-expectations.ts';

const REQUEST = { method: 'private/create-order', id: 1, nonce: 1700000000000 };

function sign(data: JsonObject) {
  return buildPayload(data, { rule: 'concat-sorted' }, payloadContext({ apiKey: 'key' }));
}

function textOf(params: JsonObject): unknown {
  const outcome = sign({ ...REQUEST, params });
  return outcome.ok ? outcome.value.text : outcome.refusal;
}

describe('payload rule concat-sorted', () => {
  it('sorts the members of objects in arrays as well, up to two arrays deep', () => {
    const params = { list: [{ b: '2', a: [{ d: '4', c: ['x', 1] }] }, 'y'] };
    expect(textOf(params)).to.equal('private/create-order1keylistacx1d4b2y1700000000000');
    const deep = { a: [{ b: [{ c: [{ d: 1 }] }] }] };
    expectIssue(sign({ ...REQUEST, params: deep }), 'data.params.a[0].b[0].c[0]', /^must not be an object/);
  });

  const rejected: readonly (readonly [JsonObject, string, RegExp])[] = [
    [{ method: undefined as unknown as string }, 'data.method', /^is missing|^must be/],
    [{ method: 'private/order1' }, 'data.method', /^must be the request's method/],
    [{ id: -1 }, 'data.id', /^must be the id/],
    [{ id: '01' }, 'data.id', /^must be the id/],
    [{ nonce: 1700000000 }, 'data.nonce', /^must be the milliseconds/],
    [{ params: [] }, 'data.params', /^must be an object/],
    [{ api_key: 'other' }, 'data.api_key', /^must be absent: its value is fixed/],
    [{ apiKey: 'other' }, 'data.apiKey', /^must be absent: its value is fixed/],
    [{ Params: {} }, 'data.Params', /^is not signed/],
  ];
  for (const [part, path, message] of rejected) {
    it(`rejects ${JSON.stringify(part)}`, () => expectIssue(sign({ ...REQUEST, ...part }), path, message));
  }

  const values: readonly (readonly [JsonValue, string])[] = [
    [0.5, 'data.params.a'],
    [{ b: '1' }, 'data.params.a'],
    [[null], 'data.params.a[0]'],
    [[{ b: { c: '1' } }], 'data.params.a[0].b'],
  ];
  for (const [value, path] of values) {
    it(`rejects the parameter ${JSON.stringify(value)}, which the venue's samples render differently`, () => {
      expectIssue(sign({ ...REQUEST, params: { a: value } }), path, /^must /);
    });
  }
});
