import { expect } from 'chai';
import { SharingReport } from '../../../../src/adapters/usage/sharing-report.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';

const REFUSED = 'unreachable (ECONNREFUSED)';
const WRONG = 'user or password rejected (WRONGPASS)';

describe('SharingReport', () => {
  let clock: FixedClock;
  let log: RecordingServiceLog;
  let report: SharingReport;

  beforeEach(() => {
    clock = new FixedClock();
    log = new RecordingServiceLog();
    report = new SharingReport('redis://h:6379/0', clock, log);
  });
  const messages = () => log.events.map(({ message }) => message);

  it('reports a duplicate instance id after another failure', () => {
    report.failed(REFUSED);
    clock.advance(60_000);
    report.taken('one');
    expect(log.events[1]).to.include({ level: 'error' });
    expect(messages()[1]).to.include('under the instance ID one').and.include('SIGNING_INSTANCE_ID');
  });

  it('returns the current reason as logged, and null once current', () => {
    expect(report.reason).to.equal(null);
    report.failed(REFUSED);
    expect(report.reason).to.equal(`Redis: ${REFUSED}`);
    report.taken('one');
    expect(report.reason).to.match(/^Another running process .* the instance ID one$/);
    report.failed(WRONG);
    expect(report.reason).to.equal(`Redis: ${WRONG}`);
    expect(messages()[0]).to.include(`Redis: ${REFUSED}`);
    report.current(2);
    expect([report.reason, report.since]).to.deep.equal([null, null]);
    clock.advance(60_000);
    report.failed(WRONG);
    expect(messages().at(-1), 'a minute after the last fault').to.include(WRONG);
  });

  it('reports surplus replicas and accounts once each', () => {
    for (let i = 0; i < 5; i += 1) {
      report.overflowed('replicas');
      report.overflowed('accounts');
    }
    expect(messages()).to.have.length(2);
    expect(messages()[0]).to.include('more than 1000 replicas');
    expect(messages()[1]).to.include('more than 1000000 accounts');
  });

  it('reports once that Redis exceeds the audit records', () => {
    report.exceeded('one', { totalSigns: 30, errorCount: 1 });
    report.exceeded('one', { totalSigns: 31, errorCount: 1 });
    expect(messages()).to.have.length(1);
    expect(messages()[0]).to.include('instance one').and.include('(signatures: 30, errors: 1)');
  });
});
