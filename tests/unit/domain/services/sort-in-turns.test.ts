import { expect } from 'chai';
import fc from 'fast-check';
import { sortInTurns } from '../../../../src/domain/services/sort-in-turns.ts';
import { Turns } from '../../../../src/domain/services/turns.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';

interface Numbered {
  readonly key: number;
  readonly place: number;
}

const byKey = (left: Numbered, right: Numbered) => left.key - right.key;

function numbered(keys: readonly number[]): readonly Numbered[] {
  return keys.map((key, place) => ({ key, place }));
}

describe('sortInTurns', () => {
  it('sorts as Array.prototype.sort does, and leaves what it was given as it is', async () => {
    const keys = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 2000, size: 'max' });
    await fc.assert(
      fc.asyncProperty(keys, async (given) => {
        const values = numbered(given);
        const sorted = await sortInTurns(values, byKey, new Turns(new FixedClock()));
        expect(sorted).to.deep.equal([...values].sort(byKey));
        expect(values).to.deep.equal(numbered(given));
      }),
      { numRuns: 30 },
    );
  });

  it('gives others turns while it sorts many values', async () => {
    const clock = new BusyClock(2);
    const values = numbered(Array.from({ length: 10_000 }, (_, index) => (index * 7919) % 10_007));
    const sorted = await sortInTurns(values, byKey, new Turns(clock));
    expect(sorted).to.deep.equal([...values].sort(byKey));
    expect(clock.turns).to.be.greaterThan(100);
  });
});
