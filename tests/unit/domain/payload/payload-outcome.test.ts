import { expect } from 'chai';
import { MAX_PAYLOAD_LENGTH, textPayload, toOutcome } from '../../../../src/domain/payload/payload-outcome.ts';

describe('textPayload', () => {
  it('accepts a text of 4 Mi characters and rejects a longer one, for any rule', () => {
    const longest = 'a'.repeat(MAX_PAYLOAD_LENGTH);
    expect(textPayload(longest).text).to.have.lengthOf(MAX_PAYLOAD_LENGTH);
    expect(toOutcome(() => textPayload(`${longest}a`))).to.have.nested.property('refusal.path', 'data');
  });
});
