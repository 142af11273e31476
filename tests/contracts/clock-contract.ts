import { expect } from 'chai';
import type { Clock } from '../../src/ports/clock.ts';

/** A clock, and a way to let time pass on it. */
export interface ClockHarness {
  readonly clock: Clock;
  /** Resolves once at least that many milliseconds have passed on the clock. */
  pass(milliseconds: number): Promise<void>;
}

/** What every Clock has to do. */
export function describeClockContract(name: string, makeHarness: () => ClockHarness): void {
  describe(`Clock contract: ${name}`, () => {
    let harness: ClockHarness;
    let clock: Clock;

    beforeEach(() => {
      harness = makeHarness();
      clock = harness.clock;
    });

    it('gives the wall clock in whole milliseconds since 1970', () => {
      expect(Number.isSafeInteger(clock.now())).to.equal(true);
      expect(new Date(clock.now()).toISOString()).to.match(/^20\d\d-/);
    });

    it('gives durations in milliseconds', async () => {
      const [wallBefore, before] = [clock.now(), clock.monotonic()];
      await harness.pass(30);
      // Timers of the operating system may end up to a millisecond early.
      expect(clock.monotonic() - before).to.be.within(29, 10_000);
      expect(clock.now() - wallBefore).to.be.within(29, 10_000);
    });

    it('lets what waits run before the next turn', async () => {
      const ran: string[] = [];
      void Promise.resolve().then(() => ran.push('what waited'));
      await clock.nextTurn();
      expect(ran).to.deep.equal(['what waited']);
    });

    it('never lets the monotonic clock run backwards', () => {
      let last = clock.monotonic();
      for (let reading = 0; reading < 10_000; reading += 1) {
        const next = clock.monotonic();
        expect(next).to.be.at.least(last);
        last = next;
      }
    });
  });
}
