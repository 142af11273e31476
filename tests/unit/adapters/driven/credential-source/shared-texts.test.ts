import { expect } from 'chai';
import { SharedTexts } from '../../../../../src/adapters/driven/credential-source/shared-texts.ts';

describe('SharedTexts', () => {
  it('gives back each text that it is asked for, whatever was asked for before', () => {
    const texts = new SharedTexts();
    const asked = ['alpha', 'beta', '', 'alpha', '__proto__', 'constructor', 'Alpha', 'alpha ', '__proto__'];
    expect(asked.map((text) => texts.of(text))).to.deep.equal(asked);
  });
});
