import { expect } from 'chai';
import fc from 'fast-check';
import { timeText } from '../../../../src/domain/model/time-text.ts';

describe('timeText', () => {
  it('is what Date writes, whichever moment came before', () => {
    const moment = fc.oneof(
      fc.constantFrom(0, -0, 1_763_628_540_123, 1_763_628_540_123.9, -1),
      fc.integer({ min: -8.64e15, max: 8.64e15 }),
      fc.double({ min: -8.64e15, max: 8.64e15, noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(moment), (moments) => {
        for (const each of moments) expect(timeText(each)).to.equal(new Date(each).toISOString());
      }),
    );
  });

  it('refuses what is no moment, also twice', () => {
    for (const none of [Number.NaN, Number.NaN, Number.POSITIVE_INFINITY, 1e300, 1e300]) {
      expect(() => timeText(none), String(none)).to.throw(RangeError);
    }
    expect(timeText(0)).to.equal('1970-01-01T00:00:00.000Z');
  });
});
