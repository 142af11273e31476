import { expect } from 'chai';
import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import { jsonPayload } from '../../../../../src/domain/payload/rules/json.ts';
import { expectBytes, expectIssue, expectParts, expectText } from '../payload-expectations.ts';

/** Parsed JSON, with the sender's member order and numbers. */
function received(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

describe('payload rule json', () => {
  it('signs the whole data compact, in the order sent', () => {
    const text = '{"nonce":1700000000000,"instruction":{"type":"order","side":"buy"}}';
    expect(text).to.have.lengthOf(67);
    const outcome = jsonPayload(
      received('{ "nonce": 1700000000000,\n "instruction": {"type":"order", "side":"buy"} }'),
      { rule: 'json' },
    );
    expectText(outcome, text);
    expectParts(outcome, undefined);
  });

  it('signs one field, in UTF-8', () => {
    const outcome = jsonPayload({ message: { symbol: 'é' }, id: 7 }, { rule: 'json', field: 'message' });
    expectBytes(outcome, '{"symbol":"é"}', '7b2273796d626f6c223a22c3a9227d');
  });

  it('signs the base64 of the text, padded, if so configured', () => {
    const rule = { rule: 'json', encode: 'base64' } as const;
    expectText(jsonPayload({ nonce: 1 }, rule), 'eyJub25jZSI6MX0=');
    for (const text of ['', 'a', 'ab', 'abc', '{"symbol": "é龙"}\n']) {
      expectText(jsonPayload({ message: text }, { ...rule, field: 'message' }), Buffer.from(text).toString('base64'));
    }
  });

  it('writes numbers and strings as JSON.stringify does', () => {
    const data = received('{"a":219.0,"b":-0,"c":1e-7,"d":0.10,"e":"\\u00e9\\/\\n\\u2028","f":[null,true,[]],"g":{}}');
    expectText(
      jsonPayload(data, { rule: 'json' }),
      '{"a":219,"b":0,"c":1e-7,"d":0.1,"e":"é/\\n\u2028","f":[null,true,[]],"g":{}}',
    );
    expectText(jsonPayload({}, { rule: 'json' }), '{}');
  });

  it('signs an array and a string in the field, the string verbatim', () => {
    expectText(jsonPayload({ orders: [{ b: 1, a: 2 }] }, { rule: 'json', field: 'orders' }), '[{"b":1,"a":2}]');
    expectText(jsonPayload({ message: '{ "b": 1.0 }' }, { rule: 'json', field: 'message' }), '{ "b": 1.0 }');
    expectBytes(jsonPayload({ message: '' }, { rule: 'json', field: 'message' }), '', '');
  });

  it('rejects integer-like names at any depth of the signed data, and nowhere else', () => {
    const data = received('{"b":[{"x":1,"10":2}],"m":{"a":1}}');
    expectIssue(
      jsonPayload(data, { rule: 'json' }),
      'data.b[0]["10"]',
      /order sent is lost; rename it, .* takes no text/,
    );
    expectIssue(jsonPayload({ 0: 'a' }, { rule: 'json' }), 'data["0"]', /position in the order sent is lost/);
    expectIssue(
      jsonPayload(data, { rule: 'json', field: 'b' }),
      'data.b[0]["10"]',
      /position in the order sent is lost; rename it, or send the text to sign as a string$/,
    );
    expectText(jsonPayload(data, { rule: 'json', field: 'm' }), '{"a":1}');
  });

  it('rejects data without the field, or without a message in it', () => {
    expectIssue(
      jsonPayload({ other: 'x' }, { rule: 'json', field: 'message' }),
      'data.message',
      /^is missing; it must be/,
    );
    expectIssue(jsonPayload({}, { rule: 'json', field: 'constructor' }), 'data.constructor', /^is missing/);
    for (const message of [null, 0, true]) {
      expectIssue(jsonPayload({ message }, { rule: 'json', field: 'message' }), 'data.message', /^must be an object/);
    }
  });
});
