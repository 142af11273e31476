import { expect } from 'chai';
import { Reloadable } from '../../../../src/domain/flow/reloadable.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';

const START = '2026-11-20T08:49:00.000Z';
const LATER = '2026-11-20T08:49:01.000Z';

describe('Reloadable', () => {
  let clock: FixedClock;
  let log: RecordingServiceLog;
  let source: string | Error;
  let reloaded: string[];

  beforeEach(() => {
    clock = new FixedClock(START);
    log = new RecordingServiceLog();
    source = 'one';
    reloaded = [];
  });

  function open(replace?: (next: string, current: string, now: number) => void): Reloadable<string> {
    const value = new Reloadable<string>({
      unchanged: 'It stays as it was.',
      ...{ clock, log },
      load: () => {
        if (source instanceof Error) throw source;
        return source;
      },
      ...(replace === undefined ? {} : { replace }),
      reloaded: (current) => reloaded.push(current),
    });
    clock.advance(1000);
    return value;
  }

  it('loads the initial value, and throws if that fails', () => {
    const value = open();
    expect(value.current).to.equal('one');
    expect(value.report).to.deep.equal({ loadedAt: START, lastReload: null });
    expect(reloaded).to.deep.equal([]);
    source = new OperatorError('broken');
    expect(() => open()).to.throw(OperatorError, 'broken');
  });

  it('replaces the value on reload', () => {
    const replaced: unknown[] = [];
    const value = open((...args) => replaced.push(args));
    source = 'two';
    expect(value.reload()).to.equal(true);
    expect(value.current).to.equal('two');
    expect(value.report).to.deep.equal({ loadedAt: LATER, lastReload: { at: LATER, outcome: 'success' } });
    expect(replaced).to.deep.equal([['two', 'one', Date.parse(LATER)]]);
    expect(reloaded).to.deep.equal(['two']);
    expect(log.events).to.deep.equal([]);
  });

  it('keeps the last good value when a reload fails, and logs the reason', () => {
    const value = open();
    source = new OperatorError('broken');
    expect([value.reload(), value.hasFailed]).to.deep.equal([false, true]);
    expect(value.current).to.equal('one');
    const lastReload = { at: LATER, outcome: 'failed', message: 'broken' };
    expect(value.report).to.deep.equal({ loadedAt: START, lastReload });
    expect(log.events).to.deep.equal([{ level: 'error', message: 'It stays as it was. broken', facts: {} }]);
    expect(reloaded).to.deep.equal([]);
  });

  it('keeps the last good value when the new one is refused', () => {
    const value = open(() => {
      throw new OperatorError('too early');
    });
    source = 'two';
    expect(value.reload()).to.equal(false);
    expect(value.current).to.equal('one');
    expect(value.report.lastReload).to.include({ message: 'too early' });
  });

  it('reports the details of an unexpected error only in the log', () => {
    const value = open();
    source = new Error('secret');
    value.reload();
    expect(value.report.lastReload?.message).to.equal('Unexpected error; see the service log.');
    expect(log.events).to.deep.equal([{ level: 'error', message: 'It stays as it was.', facts: { cause: source } }]);
  });

  it('retries only after a failure, and logs the same failure once per reload', () => {
    const value = open();
    source = new OperatorError('broken');
    expect([value.retry(), value.hasFailed]).to.deep.equal([false, false]);
    value.reload();
    value.retry();
    expect(log.events).to.have.length(1);
    source = new OperatorError('missing');
    value.retry();
    expect(log.events).to.have.length(2);
    value.reload();
    expect(log.events).to.have.length(3);
    source = 'two';
    expect([value.retry(), value.hasFailed, value.current]).to.deep.equal([true, false, 'two']);
  });
});
