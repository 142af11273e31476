import { mock } from 'node:test';
import { expect } from 'chai';
import { throttleFaults, throttleLog } from '../../../../../src/adapters/http/middleware/throttle-log.ts';

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

describe('throttleFaults', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  const setUp = () => {
    const reported: string[] = [];
    const occurred = throttleFaults<string>((count, example) => reported.push(`${count} ${example}`), {
      intervalMs: INTERVAL_MS,
    });
    return { reported, occurred };
  };

  it('reports each fault at once, then its number and its latest example once an interval', () => {
    const { reported, occurred } = setUp();
    for (let at = 0; at < 1000; at += 1) {
      occurred('key damaged', `key ${at}`);
      occurred('disk full', `disk ${at}`);
    }
    expect(reported.splice(0)).to.deep.equal(['1 key 0', '1 disk 0']);
    mock.timers.tick(INTERVAL_MS);
    expect(reported.splice(0)).to.deep.equal(['999 key 999', '999 disk 999']);
    mock.timers.tick(INTERVAL_MS);
    mock.timers.tick(INTERVAL_MS);
    expect(reported).to.deep.equal([]);
    occurred('disk full', 'disk');
    expect(reported).to.deep.equal(['1 disk']);
  });

  it('bounds the lines of an interval, and counts every occurrence', () => {
    const { reported, occurred } = setUp();
    for (let at = 0; at < 1000; at += 1) occurred(`fault ${at}`, '');
    expect(reported.length).to.be.within(2, 20);
    mock.timers.tick(INTERVAL_MS);
    expect(reported.length).to.be.within(2, 21);
    expect(reported.reduce((sum, line) => sum + Number.parseInt(line, 10), 0)).to.equal(1000);
  });
});
