import { mock } from 'node:test';
import { expect } from 'chai';
import { RetryTimer } from '../../../../../src/adapters/audit/writer/audit-file-maintenance.ts';

describe('RetryTimer', () => {
  let attempts: number;
  let timer: RetryTimer;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    attempts = 0;
    timer = new RetryTimer(() => {
      attempts += 1;
    });
  });
  afterEach(() => {
    timer.stop();
    mock.timers.reset();
  });

  it('waits 0.1 s, doubling up to 10 s', () => {
    timer.begin();
    for (const wait of [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]) {
      const before = attempts;
      mock.timers.tick(wait - 1);
      expect(attempts).to.equal(before);
      mock.timers.tick(1);
      expect(attempts).to.equal(before + 1);
      timer.later();
    }
  });

  it('keeps its delay when another failure follows soon', () => {
    timer.begin();
    timer.begin();
    mock.timers.tick(100);
    expect(attempts).to.equal(0);
    mock.timers.tick(100);
    expect(attempts).to.equal(1);
  });

  it('makes no attempt after cancel, and cannot be restarted after stop', () => {
    timer.begin();
    timer.cancel();
    mock.timers.tick(20_000);
    timer.later();
    timer.stop();
    timer.later();
    mock.timers.tick(20_000);
    expect(attempts).to.equal(0);
  });
});
