import { expect } from 'chai';
import { Reloadable } from '../../../../src/domain/flow/reloadable.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';

describe('Reloadable', () => {
  it('reports the details of an unexpected error only in the log, and keeps the value', () => {
    const [clock, log] = [new FixedClock(), new RecordingServiceLog()];
    let cause: Error | null = null;
    const load = () => {
      if (cause !== null) throw cause;
      return 'one';
    };
    const value = new Reloadable({ unchanged: 'It stays as it was.', clock, log, load, reloaded: () => undefined });
    cause = new Error('secret');
    expect([value.reload('signal'), value.current]).to.deep.equal([false, 'one']);
    expect(value.reloadReport.lastReload?.message).to.equal('Unexpected error; see the service log.');
    expect(log.events).to.deep.equal([{ level: 'error', message: 'It stays as it was.', facts: { cause } }]);
  });
});
