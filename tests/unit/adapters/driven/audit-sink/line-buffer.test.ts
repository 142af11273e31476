import { expect } from 'chai';
import fc from 'fast-check';
import { LineBuffer } from '../../../../../src/adapters/driven/audit-sink/line-buffer.ts';

describe('LineBuffer', () => {
  it('gives the UTF-8 of each text, whichever came before', () => {
    const unit = fc.constantFrom('a', '\n', 'é', '\u2028', '€', '😀', '\ud800');
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.tuple(unit, fc.integer({ min: 0, max: 100_000 })).map(([each, count]) => each.repeat(count)),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 5 }), (texts) => {
        const lines = new LineBuffer();
        for (const each of texts) expect(Buffer.from(each).equals(lines.bytesOf(each))).to.equal(true);
      }),
    );
  });

  it('gives those of texts that are longer than what it keeps', () => {
    const lines = new LineBuffer();
    for (const text of ['é'.repeat(3_000_000), 'a', 'x'.repeat(1_398_101), 'x'.repeat(1_398_102), 'b']) {
      expect(Buffer.from(text).equals(lines.bytesOf(text))).to.equal(true);
    }
  });

  it('needs no new memory for a text of the same length', () => {
    const lines = new LineBuffer();
    const first = lines.bytesOf('first');
    expect(lines.bytesOf('other').buffer).to.equal(first.buffer);
  });
});
