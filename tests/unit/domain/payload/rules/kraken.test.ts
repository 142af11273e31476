import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../../../src/domain/model/json.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { expectBytes, expectIssue, expectParts } from '../payload-expectations.ts';

const PATH = '/0/private/AddOrder';
const ORDER = { nonce: '1616492376594', ordertype: 'limit', pair: 'XBTUSD', price: 37500, type: 'buy', volume: '1.25' };
const ORDER_TEXT = 'nonce=1616492376594&ordertype=limit&pair=XBTUSD&price=37500&type=buy&volume=1.25';

function signKraken(data: JsonObject) {
  return buildPayload(data, { rule: 'kraken' }, payloadContext());
}

/** The bytes to sign in hex, by Kraken's description. */
function expected(path: string, nonce: string, body: string): string {
  return Buffer.from(path).toString('hex') + createHash('sha256').update(`${nonce}${body}`).digest('hex');
}

describe('payload rule kraken', () => {
  it('signs a string body with a separate nonce identically', () => {
    const hex = expected(PATH, '1616492376594', ORDER_TEXT);
    for (const nonce of ['1616492376594', 1616492376594]) {
      const outcome = signKraken({ path: PATH, nonce, body: ORDER_TEXT });
      expectBytes(outcome, hex, hex);
      expectParts(outcome, { path: PATH, body: ORDER_TEXT, data: { nonce: '1616492376594' } });
    }
  });

  it('uses the nonce of an object body, which a separate one must equal', () => {
    const hex = expected(PATH, '1616492376594', ORDER_TEXT);
    expectBytes(signKraken({ path: PATH, nonce: 1616492376594, body: ORDER }), hex, hex);
    expectIssue(
      signKraken({ path: PATH, nonce: '1616492376595', body: ORDER }),
      'data.nonce',
      /^must be absent or the same/,
    );
    expectIssue(signKraken({ path: PATH, nonce: null, body: ORDER }), 'data.nonce', /^must be the nonce/);
    expectIssue(
      signKraken({ path: PATH, nonce: 5, body: { pair: 'X' } }),
      'data.body.nonce',
      /^is missing; it must be the nonce/,
    );
    expectIssue(signKraken({ path: PATH, body: {} }), 'data.body.nonce', /^is missing/);
  });

  for (const nonce of ['', -5, 1.5, '1\n', '123456789012345678901', null, '٣']) {
    it(`rejects ${JSON.stringify(nonce)} as nonce`, () => {
      expectIssue(
        signKraken({ path: PATH, nonce, body: ORDER_TEXT }),
        'data.nonce',
        /^must be the nonce: 1 to 20 digits/,
      );
      expectIssue(signKraken({ path: PATH, body: { nonce } }), 'data.body.nonce', /^must be the nonce/);
    });
  }

  it('rejects a path with a query', () => {
    expectIssue(signKraken({ path: '/0/private?a=b', body: ORDER }), 'data.path', /^must not have a query/);
  });

  it('rejects a body that is missing or neither an object nor a string', () => {
    expectIssue(signKraken({ path: PATH, nonce: 1 }), 'data.body', /^is missing; it must be an object with the nonce/);
    for (const body of [null, 5, true, ['a']]) {
      expectIssue(signKraken({ path: PATH, nonce: 1, body }), 'data.body', /^must be an object with the nonce/);
    }
    expectIssue(signKraken({ path: PATH, body: { nonce: 1, a: [2] } }), 'data.body.a', /^must be a string/);
    expectIssue(
      signKraken({ path: PATH, body: { nonce: 1, 2: 'b' } }),
      'data.body["2"]',
      /position in the order sent is lost/,
    );
  });
});
