import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { expectBytes, expectIssue, expectParts } from '../payload-expectations.ts';

const PATH = '/api/v3/sendorder';

function sign(data: JsonObject) {
  return buildPayload(data, { rule: 'kraken-futures' }, payloadContext());
}

/** The bytes to sign in hex, by Kraken's description. */
function expected(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('payload rule kraken-futures', () => {
  it('signs the hash of post data, nonce and path', () => {
    const outcome = sign({ path: PATH, body: { symbol: 'PF_XBTUSD', size: 1 }, nonce: 1415957147987 });
    const hex = expected(`symbol=PF_XBTUSD&size=11415957147987${PATH}`);
    expectBytes(outcome, hex, hex);
    const parts = { path: '/api/v3/sendorder', body: 'symbol=PF_XBTUSD&size=1', data: { nonce: '1415957147987' } };
    expectParts(outcome, parts);
  });

  const rejected: readonly (readonly [JsonObject, string, RegExp])[] = [
    [{ path: `/derivatives${PATH}` }, 'data.path', /^must be without \/derivatives/],
    [{ path: `${PATH}?a=1` }, 'data.path', /^must not have a query/],
    [{ path: 'api' }, 'data.path', /^must be a path/],
    [{ query: { a: 1 }, body: { b: 1 } }, 'data.body', /^must be absent if data\.query/],
    [{ body: [] }, 'data.body', /^must be an object/],
    [{ nonce: 'x' }, 'data.nonce', /^must be 1 to 20 digits/],
    [{ nonce: 1.5 }, 'data.nonce', /^must be 1 to 20 digits/],
    [{ params: {} }, 'data.params', /^must be absent/],
  ];
  for (const [part, path, message] of rejected) {
    it(`rejects ${JSON.stringify(part)}`, () => expectIssue(sign({ path: PATH, ...part }), path, message));
  }
});
