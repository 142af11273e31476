import { mock } from 'node:test';
import { expect } from 'chai';
import { RetryTimer } from '../../../../../src/adapters/audit/writer/retry-timer.ts';

const MINUTE_MS = 60_000;

describe('RetryTimer', () => {
  let attempts: number;
  let now: number;
  let timer: RetryTimer;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    [attempts, now] = [0, 0];
    mock.method(performance, 'now', () => now);
    timer = new RetryTimer(() => {
      attempts += 1;
    });
  });
  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  function pass(milliseconds: number): void {
    now += milliseconds;
    mock.timers.tick(milliseconds);
  }

  /** How long a scheduled attempt waits, milliseconds. */
  function wait(): number {
    timer.schedule();
    const [before, from] = [attempts, now];
    while (attempts === before) pass(100);
    return now - from;
  }

  it('waits 0.1 s, doubling up to 10 s, and 0.1 s again after a minute without trouble; never after stop', () => {
    const waits = [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000];
    expect(waits.map(() => wait())).to.deep.equal(waits);
    pass(MINUTE_MS);
    expect([wait(), wait()]).to.deep.equal([100, 200]);
    const made = attempts;
    timer.schedule();
    timer.stop();
    timer.schedule();
    pass(MINUTE_MS);
    expect(attempts).to.equal(made);
  });
});
