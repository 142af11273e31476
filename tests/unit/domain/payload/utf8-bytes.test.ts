import { expect } from 'chai';
import fc from 'fast-check';
import { utf8Bytes } from '../../../../src/domain/payload/utf8-bytes.ts';

describe('utf8Bytes', () => {
  it('gives the UTF-8 of any well-formed text, and leaves what it gave before alone', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 700, size: 'max' }), { maxLength: 40 }), (texts) => {
        const made = texts.map((text) => utf8Bytes(text));
        for (const [index, text] of texts.entries()) {
          expect(Buffer.from(made[index] as Uint8Array).equals(Buffer.from(text, 'utf8'))).to.equal(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('keeps texts of one block apart at its end, whatever they take there', () => {
    const texts = Array.from({ length: 4000 }, (_, index) => `${index}${['a', 'é', '한', '😀'][index % 4]}`.repeat(9));
    const made = texts.map((text) => utf8Bytes(text));
    for (const [index, text] of texts.entries()) expect(Buffer.from(made[index] ?? []).toString()).to.equal(text);
  });

  it('gives no bytes for an empty text', () => {
    expect(utf8Bytes('')).to.have.length(0);
  });
});
