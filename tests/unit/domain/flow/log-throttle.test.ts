import { expect } from 'chai';
import { LogThrottle, Outage } from '../../../../src/domain/flow/log-throttle.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';

const INTERVAL_MS = 60_000;

describe('LogThrottle', () => {
  let clock: FixedClock;
  let throttle: LogThrottle;

  beforeEach(() => {
    clock = new FixedClock();
    throttle = new LogThrottle(clock);
  });

  it('is due at the first occurrence, then once an interval with the number since', () => {
    expect(throttle.occurred()).to.equal(1);
    expect([throttle.occurred(), throttle.occurred()]).to.deep.equal([0, 0]);
    clock.advance(INTERVAL_MS - 1);
    expect(throttle.occurred()).to.equal(0);
    clock.advance(1);
    expect(throttle.occurred()).to.equal(4);
    expect(throttle.occurred()).to.equal(0);
  });

  it('is due at the end of the interval without another occurrence, and not for none', () => {
    throttle.occurred();
    throttle.occurred();
    expect(throttle.due()).to.equal(0);
    clock.advance(INTERVAL_MS);
    expect(throttle.due()).to.equal(1);
    clock.advance(INTERVAL_MS);
    expect(throttle.due()).to.equal(0);
    expect(throttle.occurred(), 'an interval passed since the last line').to.equal(1);
  });

  it('is due at once when the topic changes', () => {
    expect(throttle.occurred('full')).to.equal(1);
    expect(throttle.occurred('full')).to.equal(0);
    expect(throttle.occurred('broken')).to.equal(2);
    clock.advance(INTERVAL_MS - 1);
    expect(throttle.occurred('broken')).to.equal(0);
    clock.advance(1);
    expect(throttle.occurred('broken')).to.equal(2);
  });

  it('returns what is not logged yet before the interval is over, and begins another', () => {
    throttle.occurred();
    expect(throttle.flush()).to.equal(0);
    clock.advance(INTERVAL_MS - 1);
    throttle.occurred();
    expect(throttle.flush()).to.equal(1);
    clock.advance(1);
    expect(throttle.occurred()).to.equal(0);
  });

  it('says once that something is over that was logged, and is due at once when it occurs again', () => {
    expect(throttle.end()).to.equal(false);
    throttle.occurred('full');
    throttle.occurred('full');
    expect([throttle.end(), throttle.end()]).to.deep.equal([true, false]);
    expect(throttle.occurred('full')).to.equal(1);
  });

  it('takes another interval', () => {
    throttle = new LogThrottle(clock, 10);
    throttle.occurred();
    clock.advance(10);
    expect(throttle.occurred()).to.equal(1);
  });
});

describe('Outage', () => {
  let clock: FixedClock;
  let outage: Outage;

  beforeEach(() => {
    clock = new FixedClock('2026-11-20T08:49:00.000Z');
    outage = new Outage(clock);
  });

  it('logs one reason once, however often and long it is met', () => {
    const logged = Array.from({ length: 100 }, () => {
      clock.advance(4000);
      return outage.failed('refused');
    });
    expect(logged.filter(Boolean)).to.have.length(1);
    expect(logged[0]).to.equal(true);
  });

  it('logs another reason a minute after the one before it at the earliest', () => {
    outage.failed('refused');
    clock.advance(59_999);
    expect(outage.failed('wrong password')).to.equal(false);
    clock.advance(1);
    expect(outage.failed('wrong password')).to.equal(true);
  });

  it('logs at most one reason a minute when reasons alternate', () => {
    let logged = 0;
    for (let second = 0; second < 600; second += 1) {
      if (outage.failed(second % 2 === 0 ? 'refused' : 'wrong password')) logged += 1;
      clock.advance(1000);
    }
    expect(logged).to.be.within(2, 10);
  });

  it('knows since when it lasts, and the latest reason', () => {
    expect([outage.since, outage.reason]).to.deep.equal([null, null]);
    outage.begin();
    expect([outage.since, outage.reason]).to.deep.equal(['2026-11-20T08:49:00.000Z', null]);
    clock.advance(1000);
    outage.failed('refused');
    outage.failed('wrong password');
    expect([outage.since, outage.reason]).to.deep.equal(['2026-11-20T08:49:00.000Z', 'wrong password']);
  });

  it('logs its end if it was logged, and the same reason at once when it begins again', () => {
    outage.begin();
    expect(outage.end()).to.equal(false);
    outage.failed('refused');
    expect([outage.end(), outage.end()]).to.deep.equal([true, false]);
    expect([outage.since, outage.reason]).to.deep.equal([null, null]);
    expect(outage.failed('refused')).to.equal(true);
  });
});
