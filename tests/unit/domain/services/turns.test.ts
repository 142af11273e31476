import { expect } from 'chai';
import { SLICE_MS, Turns } from '../../../../src/domain/services/turns.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';

/** Counts the turns that were waited for. */
class CountingClock extends FixedClock {
  turns = 0;

  override nextTurn(): Promise<void> {
    this.turns += 1;
    return super.nextTurn();
  }
}

describe('Turns', () => {
  it('lets others have a turn when a slice of work is done, and not before', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    clock.advance(SLICE_MS - 0.001);
    await turns.pause();
    expect(clock.turns).to.equal(0);
    clock.advance(0.001);
    await turns.pause();
    expect(clock.turns).to.equal(1);
  });

  it('measures each slice from the end of the turn that others had', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    clock.advance(SLICE_MS);
    const resumed = turns.pause();
    clock.advance(1000);
    await resumed;
    clock.advance(SLICE_MS - 0.25);
    await turns.pause();
    expect(clock.turns).to.equal(1);
    clock.advance(0.25);
    await turns.pause();
    expect(clock.turns).to.equal(2);
  });

  it('waits for a turn before the first slice when asked to', async () => {
    const clock = new CountingClock();
    const turns = new Turns(clock);
    await turns.next();
    expect(clock.turns).to.equal(1);
    await turns.pause();
    expect(clock.turns).to.equal(1);
  });
});
