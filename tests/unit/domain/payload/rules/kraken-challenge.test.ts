import { createHash } from 'node:crypto';
import type { JsonValue } from '../../../../../src/domain/model/json.ts';
import { buildPayload } from '../../../../../src/domain/payload/build-payload.ts';
import { payloadContext } from '../../../../doubles/payload-context.ts';
import { expectBytes, expectIssue, expectParts } from '../payload-expectations.ts';

const CHALLENGE = 'c100b894-1729-464d-ace1-52dbce11db42';

function sign(challenge: JsonValue) {
  return buildPayload({ challenge, feed: 'fills' }, { rule: 'kraken-challenge' }, payloadContext());
}

describe('payload rule kraken-challenge', () => {
  it('signs the hash of the challenge', () => {
    const hex = createHash('sha256').update(CHALLENGE).digest('hex');
    expectBytes(sign(CHALLENGE), hex, hex);
    expectParts(sign(CHALLENGE), { data: { challenge: CHALLENGE } });
  });

  it('signs nothing but a UUID, which no request is that the same key signs', () => {
    const others = ['', '/api/v3/sendorder', `symbol=a/api/v3/orders`, CHALLENGE.toUpperCase(), `${CHALLENGE}/api`];
    for (const challenge of [...others, `x${CHALLENGE}`, `${CHALLENGE}\n`, 7, null]) {
      expectIssue(sign(challenge), 'data.challenge', /^must be the challenge as Kraken sent it/);
    }
    expectIssue(
      buildPayload({}, { rule: 'kraken-challenge' }, payloadContext()),
      'data.challenge',
      /^is missing; it must be/,
    );
  });
});
