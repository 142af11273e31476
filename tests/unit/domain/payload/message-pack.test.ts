import { expect } from 'chai';
import { messagePack } from '../../../../src/domain/payload/message-pack.ts';

describe('messagePack', () => {
  it('throws for numbers that are not safe integers', () => {
    for (const value of [0.5, 1e-7, 2 ** 53, -(2 ** 53), Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(() => messagePack([{ value }]), String(value)).to.throw(RangeError);
    }
  });
});
