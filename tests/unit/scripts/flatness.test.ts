import { expect } from 'chai';
import { flatnessOf, troughsOf } from '../../../scripts/proof/flatness.ts';

describe('Flatness of samples', () => {
  it('is a rise of the regression line over the last two thirds, whatever the first third did', () => {
    const samples = Array.from({ length: 90 }, (_, at) => ({ at, value: at < 30 ? 1000 - at : 100 + 2 * at }));
    const { rise, spread, mean } = flatnessOf(samples);
    expect(rise).to.be.closeTo(118, 1e-9);
    expect(spread).to.equal(118);
    expect(mean).to.be.closeTo(219, 1e-9);
  });

  it('rises little where values only go up and down', () => {
    const samples = Array.from({ length: 300 }, (_, at) => ({ at, value: 100 + (at % 10) }));
    expect(Math.abs(flatnessOf(samples).rise)).to.be.below(1);
  });

  it('is told from the least samples alone where the others only show how busy it was, and still shows what is never given back', () => {
    const noisy = (leak: number) =>
      Array.from({ length: 300 }, (_, at) => ({ at, value: 100 + leak * at + (at % 10) * (at > 200 ? 9 : 1) }));
    expect(flatnessOf(noisy(0)).rise).to.be.above(30);
    expect(flatnessOf(troughsOf(noisy(0), 10)).rise).to.equal(0);
    expect(flatnessOf(troughsOf(noisy(0.2), 10)).rise).to.be.closeTo(38, 1);
  });

  it('can not be told from five samples', () => {
    const samples = Array.from({ length: 5 }, (_, at) => ({ at, value: 1 }));
    expect(() => flatnessOf(samples)).to.throw(RangeError);
  });
});
