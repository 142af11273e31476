import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { SystemClock } from '../../../../src/adapters/node/system-clock.ts';
import { describeClockContract } from '../../../contracts/clock-contract.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';

describeClockContract('SystemClock', () => ({ clock: new SystemClock(), pass: (milliseconds) => sleep(milliseconds) }));

describeClockContract('FixedClock', () => {
  const clock = new FixedClock();
  return { clock, pass: async (milliseconds) => clock.advance(milliseconds) };
});

describeClockContract('BusyClock', () => {
  const clock = new BusyClock(0.001);
  return { clock, pass: async (milliseconds) => clock.advance(milliseconds) };
});

describe('FixedClock', () => {
  it('does not advance until it is moved', () => {
    const clock = new FixedClock('2026-11-20T08:49:00.000Z');
    expect(new Date(clock.now()).toISOString()).to.equal('2026-11-20T08:49:00.000Z');
    expect(clock.now()).to.equal(clock.now());
    expect(clock.monotonic()).to.equal(clock.monotonic());
  });

  it('keeps the monotonic clock when the wall clock is set back', () => {
    const clock = new FixedClock();
    clock.advance(1000);
    clock.set('2020-01-01T00:00:00.000Z');
    expect(clock.now()).to.equal(Date.UTC(2020, 0, 1));
    expect(clock.monotonic()).to.equal(1000);
    expect(() => clock.advance(-1)).to.throw(RangeError);
  });
});
