import { expect } from 'chai';
import { isPlainText } from '../../../../src/domain/payload/plain-text.ts';

describe('isPlainText', () => {
  it('is so of each UTF-16 unit that JSON writes as it is and that is printable ASCII, and of no other', () => {
    for (let unit = 0; unit <= 0xffff; unit += 1) {
      const text = String.fromCharCode(unit);
      const isPlain = JSON.stringify(text) === `"${text}"` && unit >= 0x20 && unit <= 0x7e;
      expect(isPlainText(`a${text}z`), unit.toString(16)).to.equal(isPlain);
    }
  });

  it('is so of an empty text, and not of a line', () => {
    expect(isPlainText('')).to.equal(true);
    expect(isPlainText('a\n')).to.equal(false);
  });
});
