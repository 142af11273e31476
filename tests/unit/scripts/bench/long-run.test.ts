import { expect } from 'chai';
import { sampleOf, steadinessOf } from '../../../../scripts/bench/long-run.ts';

describe('A long run of the bench', () => {
  it('is as steady as the median of its last tenth is of that of its first', () => {
    const rates = Array.from({ length: 100 }, (_, index) => (index < 10 ? 100 + index : index < 90 ? 7 : 50 + index));
    expect(steadinessOf(rates)).to.deep.equal({ first: 104.5, last: 144.5, lastPerFirst: 144.5 / 104.5 });
  });

  it('is no less steady for one slow moment in either', () => {
    const rates = Array.from({ length: 50 }, (_, index) => (index === 2 || index === 48 ? 10 : 100));
    expect(steadinessOf(rates).lastPerFirst).to.equal(1);
  });

  it('has ten rates at the least', () => {
    expect(steadinessOf([2, 1, 1, 1, 1, 1, 1, 1, 1, 1]).lastPerFirst).to.equal(0.5);
    expect(() => steadinessOf([1, 1, 1, 1, 1, 1, 1, 1, 1])).to.throw(RangeError);
  });

  it('reads a metric off its page', () => {
    const page = '# HELP heap Heap.\n# TYPE heap gauge\nheap_total 9\nheap 1.5e+7\n';
    expect(sampleOf(page, 'heap')).to.equal(15_000_000);
    expect(sampleOf(page, 'stack')).to.equal(null);
  });
});
