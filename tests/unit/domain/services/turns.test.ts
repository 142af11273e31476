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

describe('Turns in the background', () => {
  /** In each of its turns others work so long, milliseconds. */
  class BusyTurns extends CountingClock {
    readonly #workMs: readonly number[];

    constructor(workMs: readonly number[]) {
      super();
      this.#workMs = workMs;
    }

    override async nextTurn(): Promise<void> {
      this.advance(this.#workMs[this.turns] ?? 0);
      await super.nextTurn();
    }
  }

  it('go on after one turn that nobody used', async () => {
    const clock = new BusyTurns([0.1]);
    await Turns.inBackground(clock).next();
    expect(clock.turns).to.equal(1);
  });

  it('stand back while others use their turns', async () => {
    const clock = new BusyTurns([1, 0.5, 1, 0.1]);
    await Turns.inBackground(clock).next();
    expect(clock.turns).to.equal(4);
  });

  it('stand back for no longer than 4 ms, however busy others are', async () => {
    const clock = new BusyTurns(Array(100).fill(1));
    const turns = Turns.inBackground(clock);
    await turns.next();
    expect(clock.turns).to.equal(4);
    await turns.next();
    expect(clock.turns).to.equal(8);
    expect(turns.isOver).to.equal(false);
  });

  it('go on when their turn comes late, having let others work meanwhile', async () => {
    const clock = new BusyTurns([100, 1]);
    await Turns.inBackground(clock).next();
    expect(clock.turns).to.equal(1);
  });

  it('are asked for as such, and others are not', async () => {
    const asked: string[] = [];
    class TellingClock extends FixedClock {
      override async nextTurn(): Promise<void> {
        asked.push('turn');
      }

      override async backgroundTurn(): Promise<void> {
        asked.push('background turn');
      }
    }
    await Turns.inBackground(new TellingClock()).next();
    await new Turns(new TellingClock()).next();
    expect(asked).to.deep.equal(['background turn', 'turn']);
  });

  it('are what requests do not wait for: these let others have one turn', async () => {
    const clock = new BusyTurns([1, 1, 1]);
    await new Turns(clock).next();
    expect(clock.turns).to.equal(1);
  });
});
