import { mock } from 'node:test';
import { expect } from 'chai';
import { throttleLog } from '../../../../../src/adapters/http/middleware/throttle-log.ts';

const INTERVAL_MS = 50;

describe('throttleLog', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  it('reports the first call at once, further ones together, and the next after a pause at once', () => {
    const reported: number[] = [];
    const call = throttleLog((count) => reported.push(count), INTERVAL_MS);
    for (let i = 0; i < 1000; i += 1) call();
    expect(reported).to.deep.equal([1]);
    mock.timers.tick(INTERVAL_MS);
    expect(reported).to.deep.equal([1, 999]);
    mock.timers.tick(INTERVAL_MS);
    call();
    expect(reported).to.deep.equal([1, 999, 1]);
  });
});
