import { expect } from 'chai';
import fc from 'fast-check';
import { KeptText } from '../../../src/audit-trail/kept-text.ts';

describe('KeptText', () => {
  it('gives for each value what is written of it, whichever came before', () => {
    const value = fc.constantFrom(null, '', 'a', 'b', 'undefined', 'null');
    fc.assert(
      fc.property(fc.array(value), (values) => {
        const kept = new KeptText((each: string | null) => JSON.stringify(each));
        expect(values.map((each) => kept.of(each))).to.deep.equal(values.map((each) => JSON.stringify(each)));
      }),
    );
  });

  it('writes a value once as long as it stays the same, and keeps no more than the last', () => {
    const writes: string[] = [];
    const kept = new KeptText((value: string) => {
      writes.push(value);
      return value.toUpperCase();
    });
    for (const value of ['a', 'a', 'b', 'b', 'a']) kept.of(value);
    expect(writes).to.deep.equal(['a', 'b', 'a']);
  });
});
