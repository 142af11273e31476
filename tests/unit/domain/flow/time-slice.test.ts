import { expect } from 'chai';
import { SLICE_MS, TimeSlice } from '../../../../src/domain/flow/time-slice.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';

/** Counts yields. */
class CountingClock extends FixedClock {
  turns = 0;

  override yieldNow(): Promise<void> {
    this.turns += 1;
    return super.yieldNow();
  }
}

describe('TimeSlice', () => {
  it('yields once the slice is used up, and not before', async () => {
    const clock = new CountingClock();
    const slice = new TimeSlice(clock);
    clock.advance(SLICE_MS - 0.001);
    await slice.yieldIfExpired();
    expect(clock.turns).to.equal(0);
    clock.advance(0.001);
    await slice.yieldIfExpired();
    expect(clock.turns).to.equal(1);
  });

  it('measures each slice from the end of the previous yield', async () => {
    const clock = new CountingClock();
    const slice = new TimeSlice(clock);
    clock.advance(SLICE_MS);
    const resumed = slice.yieldIfExpired();
    clock.advance(1000);
    await resumed;
    clock.advance(SLICE_MS - 0.25);
    await slice.yieldIfExpired();
    expect(clock.turns).to.equal(1);
    clock.advance(0.25);
    await slice.yieldIfExpired();
    expect(clock.turns).to.equal(2);
  });

  it('yields once for each slice that a long step used up, and not without end', async () => {
    const clock = new CountingClock();
    const slice = new TimeSlice(clock);
    clock.advance(7.5 * SLICE_MS);
    await slice.yieldIfExpired();
    expect(clock.turns).to.equal(7);
    clock.advance(1_000_000);
    await slice.yieldIfExpired();
    expect(clock.turns).to.equal(7 + 100);
  });

  it('processes many items in order, and yields after each slice', async () => {
    const clock = new CountingClock();
    const seen: [number, number][] = [];
    await new TimeSlice(clock).forEach([1, 2, 3, 4, 5, 6], (item) => {
      seen.push([item, clock.turns]);
      clock.advance(SLICE_MS / 2);
    });
    expect(seen).to.deep.equal([
      [1, 0],
      [2, 0],
      [3, 1],
      [4, 1],
      [5, 2],
      [6, 2],
    ]);
  });
});
