import { setImmediate as eventLoopTurn, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { SystemClock } from '../../../../src/adapters/node/system-clock.ts';

describe('SystemClock', () => {
  const clock = new SystemClock();

  it('returns the wall clock in whole milliseconds since 1970', () => {
    expect(Number.isSafeInteger(clock.now())).to.equal(true);
    expect(new Date(clock.now()).toISOString()).to.match(/^20\d\d-/);
  });

  it('returns durations in milliseconds', async () => {
    const [wallBefore, before] = [clock.now(), clock.monotonic()];
    await sleep(30);
    // Timers of the operating system may end up to a millisecond early.
    expect(clock.monotonic() - before).to.be.within(29, 10_000);
    expect(clock.now() - wallBefore).to.be.within(29, 10_000);
  });

  it('runs pending microtasks before it resumes', async () => {
    const ran: string[] = [];
    void Promise.resolve().then(() => ran.push('what waited'));
    await clock.yieldNow();
    expect(ran).to.deep.equal(['what waited']);
  });

  it('resumes one waiter in each event-loop tick, first come, first served', async () => {
    const resumed: string[] = [];
    const work = async (name: string) => {
      for (let slice = 1; slice <= 2; slice += 1) {
        await clock.yieldNow();
        resumed.push(`${name}${slice}`);
      }
    };
    const works = Promise.all(['a', 'b', 'c'].map(work));
    const afterEachTurn: number[] = [0];
    while (resumed.length < 6) {
      await eventLoopTurn();
      afterEachTurn.push(resumed.length);
    }
    await works;
    const inEachTurn = afterEachTurn.slice(1).map((count, turn) => count - (afterEachTurn[turn] ?? 0));
    expect(Math.max(...inEachTurn)).to.equal(1);
    expect(resumed).to.deep.equal(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
  });

  it('runs end-of-tick callbacks after pending microtasks, in registration order', async () => {
    const ran: string[] = [];
    clock.atEndOfTick(() => ran.push('first'));
    clock.atEndOfTick(() => ran.push('second'));
    void Promise.resolve().then(() => ran.push('what waited'));
    expect(ran).to.deep.equal([]);
    await eventLoopTurn();
    expect(ran).to.deep.equal(['what waited', 'first', 'second']);
  });
});
