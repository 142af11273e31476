import { mock } from 'node:test';
import { expect } from 'chai';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';

const MINUTE_MS = 60_000;
const TOPIC = { topic: 'disk' };

describe('ThrottledLog', () => {
  let log: RecordingServiceLog;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    log = new RecordingServiceLog();
  });
  afterEach(() => mock.timers.reset());

  const fail = (nth: number, throttling: object = {}) =>
    log.error(`Failed: ${nth}.`, { nth }, { ...TOPIC, ...throttling });
  const recover = () => log.recovered('Works again.', { file: 'a' }, TOPIC);
  const lines = () => log.events.splice(0).map(({ level, message, facts }) => [level, message, facts]);

  it('logs the first at once, then once a minute how many there were, with the latest message and facts', () => {
    for (let nth = 1; nth <= 3; nth += 1) fail(nth);
    expect(lines()).to.deep.equal([['error', 'Failed: 1.', { count: 1, nth: 1 }]]);
    mock.timers.tick(MINUTE_MS - 1);
    fail(4);
    expect(lines()).to.deep.equal([]);
    mock.timers.tick(1);
    expect(lines()).to.deep.equal([['error', 'Failed: 4.', { count: 3, nth: 4 }]]);
    fail(5);
    mock.timers.tick(MINUTE_MS);
    expect(lines()).to.deep.equal([['error', 'Failed: 5.', { count: 1, nth: 5 }]]);
    mock.timers.tick(MINUTE_MS);
    fail(6);
    expect(lines(), 'after a quiet minute').to.deep.equal([['error', 'Failed: 6.', { count: 1, nth: 6 }]]);
  });

  it('counts by a second name, and counts and names accounts, one for each occurrence', () => {
    const throttle = (accounts: readonly string[]) => fail(1, { countAs: 'items', accounts });
    throttle(['a', 'b', 'a']);
    throttle(['e', 'd']);
    throttle(['c', 'b', 'e']);
    mock.timers.tick(MINUTE_MS);
    expect(log.events.map(({ facts }) => facts)).to.deep.equal([
      { count: 3, items: 3, accountCount: 2, accounts: ['a', 'b'], nth: 1 },
      { count: 5, items: 5, accountCount: 4, accounts: ['e', 'd', 'c'], nth: 1 },
    ]);
  });

  it('logs topics and causes separately, but at most 17 lines a minute for one topic', () => {
    for (let nth = 0; nth < 1000; nth += 1) fail(nth, { cause: `cause ${nth % 500}` });
    expect(lines()).to.have.length(17);
    log.warn('Other.', {}, { topic: 'other' });
    expect(lines()).to.have.length(1);
    mock.timers.tick(MINUTE_MS);
    const counts = log.events.map(({ facts }) => Number(facts['count']));
    expect(counts).to.have.length(17);
    expect(counts.reduce((sum, count) => sum + count, 17)).to.equal(1000);
    lines();
    mock.timers.tick(MINUTE_MS);
    fail(0, { cause: 'new' });
    expect(lines()).to.have.length(1);
  });

  it('logs a recovery once, if the failure was logged, with the number of failures that were not', () => {
    expect(recover()).to.equal(false);
    fail(1);
    expect([recover(), recover()]).to.deep.equal([true, false]);
    mock.timers.tick(MINUTE_MS);
    fail(2);
    fail(3, { cause: 'other' });
    fail(4);
    recover();
    mock.timers.tick(MINUTE_MS);
    expect(lines().map(([, message, facts]) => [message, facts])).to.deep.equal([
      ['Failed: 1.', { count: 1, nth: 1 }],
      ['Works again.', { file: 'a' }],
      ['Failed: 2.', { count: 1, nth: 2 }],
      ['Failed: 3.', { count: 1, nth: 3 }],
      ['Works again.', { count: 1, file: 'a' }],
    ]);
  });

  it('logs a failure at once that comes back after its recovery', () => {
    fail(1);
    recover();
    mock.timers.tick(1000);
    fail(2);
    recover();
    const messages = ['Failed: 1.', 'Works again.', 'Failed: 2.', 'Works again.'];
    expect(lines().map(([, message]) => message)).to.deep.equal(messages);
    mock.timers.tick(2 * MINUTE_MS);
    expect(lines()).to.deep.equal([]);
  });

  it('logs two failures and two recoveries a minute while both alternate, and ends with the latest', () => {
    for (let second = 0; second < 120; second += 1) {
      fail(second);
      recover();
      mock.timers.tick(1000);
    }
    const messages = (last: number) => [`Failed: ${last}.`, 'Works again.'];
    expect(lines().map(([, message]) => message)).to.deep.equal([0, 1, 60, 61].flatMap(messages));
    fail(120);
    recover();
    fail(121);
    mock.timers.tick(MINUTE_MS);
    expect(lines().map(([, message]) => message)).to.deep.equal(['Failed: 121.']);
  });

  it('logs what is due when it is flushed', () => {
    fail(1);
    log.flush();
    expect(lines()).to.have.length(1);
    fail(2);
    fail(3);
    log.flush();
    expect(lines().map(([, , facts]) => facts)).to.deep.equal([
      { count: 1, nth: 2 },
      { count: 1, nth: 3 },
    ]);
  });
});
