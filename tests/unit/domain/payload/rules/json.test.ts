import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import { jsonPayload } from '../../../../../src/domain/payload/rules/json.ts';
import { expectIssue, expectText } from '../payload-expectations.ts';

/** Parsed JSON, with the sender's member order and numbers. */
function received(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

describe('payload rule json', () => {
  it('signs the base64 of the text, padded, if so configured', () => {
    const rule = { rule: 'json', encode: 'base64' } as const;
    expectText(jsonPayload({ nonce: 1 }, rule), 'eyJub25jZSI6MX0=');
    for (const text of ['', 'a', 'ab', 'abc', '{"symbol": "é龙"}\n']) {
      expectText(jsonPayload({ message: text }, { ...rule, field: 'message' }), Buffer.from(text).toString('base64'));
    }
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
});
