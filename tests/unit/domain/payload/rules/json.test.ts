import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { expectIssue, expectText } from '../payload-expectations.ts';

/** Parsed JSON, with the sender's member order and numbers. */
function received(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

describe('payload rule json', () => {
  it('signs the base64 of the text, padded, if so configured', () => {
    const rule = { rule: 'json', encode: 'base64' } as const;
    expectText(buildPayload({ nonce: 1 }, rule, payloadContext()), 'eyJub25jZSI6MX0=');
    for (const text of ['', 'a', 'ab', 'abc', '{"symbol": "é龙"}\n']) {
      expectText(
        buildPayload({ message: text }, { ...rule, field: 'message' }, payloadContext()),
        Buffer.from(text).toString('base64'),
      );
    }
  });

  it('rejects integer-like names at any depth of the signed data, and nowhere else', () => {
    const data = received('{"b":[{"x":1,"10":2}],"m":{"a":1}}');
    expectIssue(
      buildPayload(data, { rule: 'json' }, payloadContext()),
      'data.b[0]["10"]',
      /order sent is lost; rename it, .* takes no text/,
    );
    expectIssue(
      buildPayload({ 0: 'a' }, { rule: 'json' }, payloadContext()),
      'data["0"]',
      /position in the order sent is lost/,
    );
    expectIssue(
      buildPayload(data, { rule: 'json', field: 'b' }, payloadContext()),
      'data.b[0]["10"]',
      /position in the order sent is lost; rename it, or send the text to sign as a string$/,
    );
    expectText(buildPayload(data, { rule: 'json', field: 'm' }, payloadContext()), '{"a":1}');
  });
});
