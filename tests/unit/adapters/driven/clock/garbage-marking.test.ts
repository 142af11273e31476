import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { expect } from 'chai';
import { GarbageMarking } from '../../../../../src/adapters/driven/clock/garbage-marking.ts';

/** Enough for many collections while V8 is told to mark often. */
const MOST_SLICES = 5000;

/** So long that only the end of the collection ends it. */
const LONG_MS = 600_000;

describe('GarbageMarking', () => {
  const kept: number[][] = [];

  afterEach(() => {
    markOften(false);
    kept.length = 0;
  });

  function markOften(often: boolean): void {
    setFlagsFromString(often ? '--stress-incremental-marking' : '--no-stress-incremental-marking');
  }

  /** Makes what V8 has to go through until that is seen; false when it never was. */
  async function isSeen(condition: () => boolean): Promise<boolean> {
    for (let slice = 0; slice < MOST_SLICES; slice += 1) {
      if (condition()) return true;
      for (let array = 0; array < 20; array += 1) kept.push(Array.from({ length: 100 }, () => array));
      if (kept.length > 20_000) kept.length = 0;
      await eventLoopTurn();
    }
    return false;
  }

  it('sees that garbage is marked, and that it was collected', async () => {
    const marking = new GarbageMarking(LONG_MS);
    expect(marking.isUnderWay).to.equal(false);
    markOften(true);
    expect(await isSeen(() => marking.isUnderWay)).to.equal(true);
    markOften(false);
    expect(await isSeen(() => !marking.isUnderWay)).to.equal(true);
  });

  it('takes a marking for over that goes on for longer than V8 means it to', async () => {
    const [marking, impatient] = [new GarbageMarking(LONG_MS), new GarbageMarking(0)];
    let isImpatient = false;
    markOften(true);
    const seen = await isSeen(() => {
      isImpatient ||= impatient.isUnderWay;
      return marking.isUnderWay;
    });
    expect({ seen, isImpatient }).to.deep.equal({ seen: true, isImpatient: false });
  });
});
