import { expect } from 'chai';
import { MAX_PAYLOAD_LENGTH, textPayload } from '../../../../src/domain/payload/payload-outcome.ts';

describe('textPayload', () => {
  it('accepts a text of 4 Mi characters and rejects a longer one, for any rule', () => {
    const longest = 'a'.repeat(MAX_PAYLOAD_LENGTH);
    expect(textPayload(longest).ok).to.equal(true);
    const refused = textPayload(`${longest}a`);
    expect(refused).to.have.nested.property('refusal.path', 'data');
  });
});
