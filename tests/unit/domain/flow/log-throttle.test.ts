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

  it('is due at the first occurrence, then once per interval with the count since', () => {
    expect(throttle.occurred()).to.equal(1);
    expect([throttle.occurred(), throttle.occurred()]).to.deep.equal([0, 0]);
    clock.advance(INTERVAL_MS - 1);
    expect(throttle.occurred()).to.equal(0);
    clock.advance(1);
    expect(throttle.occurred()).to.equal(4);
    expect(throttle.occurred()).to.equal(0);
  });

  it('is due at the end of the interval without a new occurrence, but only if some are pending', () => {
    throttle.occurred();
    throttle.occurred();
    expect(throttle.due()).to.equal(0);
    clock.advance(INTERVAL_MS);
    expect(throttle.due()).to.equal(1);
    clock.advance(INTERVAL_MS);
    expect(throttle.due()).to.equal(0);
    expect(throttle.occurred(), 'an interval passed since the last line').to.equal(1);
  });

  it('is due at once for a new topic, and counts topics that alternate apart, once per interval', () => {
    expect([throttle.occurred('full'), throttle.occurred('broken')]).to.deep.equal([1, 1]);
    for (let round = 0; round < 100; round += 1) {
      expect([throttle.occurred('full'), throttle.occurred('broken')]).to.deep.equal([0, 0]);
    }
    clock.advance(INTERVAL_MS);
    expect([throttle.occurred('full'), throttle.occurred('broken')]).to.deep.equal([101, 101]);
  });

  it('bounds the lines per interval, regardless of the number of topics', () => {
    const countLines = () => Array.from({ length: 1000 }, (_, at) => throttle.occurred(`topic ${at}`));
    const first = countLines().filter((count) => count > 0);
    expect(first.length).to.be.within(2, 20);
    clock.advance(INTERVAL_MS);
    const lines = [...countLines(), ...countLines()].filter((count) => count > 0);
    expect(lines.length).to.be.within(2, 20);
    expect(lines, 'the topics beyond the maximum have one line').to.satisfy((counts: number[]) =>
      counts.some((count) => count > 900),
    );
  });

  it('gives a new topic a line at once when an older one has been quiet for an interval', () => {
    for (let at = 0; at < 100; at += 1) throttle.occurred(`old ${at}`);
    expect(throttle.occurred('new')).to.equal(0);
    clock.advance(INTERVAL_MS);
    expect(throttle.occurred('newer')).to.equal(1);
  });

  it('flushes the unlogged count before the interval ends, and starts a new interval', () => {
    throttle.occurred();
    expect(throttle.flush()).to.equal(0);
    clock.advance(INTERVAL_MS - 1);
    throttle.occurred();
    expect(throttle.flush()).to.equal(1);
    clock.advance(1);
    expect(throttle.occurred()).to.equal(0);
  });

  it('reports the end of a logged condition once, and is due at once when it recurs', () => {
    expect(throttle.end()).to.equal(false);
    throttle.occurred('full');
    throttle.occurred('full');
    expect([throttle.end(), throttle.end()]).to.deep.equal([true, false]);
    expect(throttle.occurred('full')).to.equal(1);
  });
});

describe('Outage', () => {
  let clock: FixedClock;
  let outage: Outage;

  beforeEach(() => {
    clock = new FixedClock('2026-11-20T08:49:00.000Z');
    outage = new Outage(clock);
  });

  it('logs the same reason once, regardless of how often and how long it occurs', () => {
    const logged = Array.from({ length: 100 }, () => {
      clock.advance(4000);
      return outage.failed('refused');
    });
    expect(logged).to.deep.equal([true, ...Array<boolean>(99).fill(false)]);
  });

  it('logs another reason at the earliest a minute after the previous one', () => {
    outage.failed('refused');
    clock.advance(59_999);
    expect(outage.failed('wrong password')).to.equal(false);
    clock.advance(1);
    expect(outage.failed('wrong password')).to.equal(true);
  });

  it('exposes its start time and its latest reason', () => {
    expect([outage.since, outage.reason]).to.deep.equal([null, null]);
    outage.begin();
    expect([outage.since, outage.reason]).to.deep.equal(['2026-11-20T08:49:00.000Z', null]);
    clock.advance(1000);
    outage.failed('refused');
    outage.failed('wrong password');
    expect([outage.since, outage.reason]).to.deep.equal(['2026-11-20T08:49:00.000Z', 'wrong password']);
  });

  it('logs at most one failure and one recovery a minute while both alternate', () => {
    let [failures, recoveries] = [0, 0];
    for (let second = 0; second < 600; second += 1) {
      if (outage.failed('refused')) failures += 1;
      if (outage.end()) recoveries += 1;
      clock.advance(1000);
    }
    expect(failures).to.equal(10);
    expect(recoveries).to.equal(10);
  });

  it('logs its end only if it was logged, and logs the same reason when it recurs a minute later', () => {
    outage.begin();
    expect(outage.end()).to.equal(false);
    outage.failed('refused');
    expect([outage.end(), outage.end()]).to.deep.equal([true, false]);
    expect([outage.since, outage.reason]).to.deep.equal([null, null]);
    clock.advance(60_000);
    expect(outage.failed('refused')).to.equal(true);
  });
});
