import { expect } from 'chai';
import { SharingReport } from '../../../../../src/adapters/driven/usage-ledger/sharing-report.ts';
import { FixedClock } from '../../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';

const REFUSED = 'it can not be reached (ECONNREFUSED)';
const WRONG = 'it does not take this user and password (WRONGPASS)';

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

  it('tells one reason once, however often and long it is met', () => {
    for (let i = 0; i < 100; i += 1) {
      report.failed(REFUSED);
      clock.advance(4000);
    }
    expect(messages()).to.have.length(1);
    expect(messages()[0]).to.include(REFUSED);
  });

  it('tells another reason that came later, a minute after the one before it at the earliest', () => {
    report.failed(REFUSED);
    clock.advance(59_999);
    report.failed(WRONG);
    expect(messages()).to.have.length(1);
    clock.advance(1);
    report.failed(WRONG);
    expect(messages()).to.have.length(2);
    expect(messages()[1]).to.include(WRONG);
  });

  it('tells of a duplicate instance id that came to light after another fault', () => {
    report.failed(REFUSED);
    clock.advance(60_000);
    report.taken('one');
    expect(log.events[1]).to.include({ level: 'error' });
    expect(messages()[1]).to.include('under the instance id one').and.include('SIGNING_INSTANCE_ID');
  });

  it('tells at most one line a minute of reasons that take turns', () => {
    for (let second = 0; second < 600; second += 1) {
      report.failed(second % 2 === 0 ? REFUSED : WRONG);
      clock.advance(1000);
    }
    expect(messages().length).to.be.within(2, 10);
  });

  it('says why it is behind in the words of the log, the reason of now, and nothing once it is current', () => {
    expect(report.reason).to.equal(null);
    report.failed(REFUSED);
    expect(report.reason).to.equal(`Redis: ${REFUSED}`);
    report.taken('one');
    expect(report.reason).to.match(/^Another running process .* the instance id one$/);
    report.failed(WRONG);
    expect(report.reason).to.equal(`Redis: ${WRONG}`);
    expect(messages()[0]).to.include(`Redis: ${REFUSED}`);
    report.current(2);
    expect([report.reason, report.since]).to.deep.equal([null, null]);
    report.failed(WRONG);
    expect(messages().at(-1), 'a new fault is told at once').to.include(WRONG);
  });

  it('tells once of replicas, and once of accounts, that there was no room for', () => {
    for (let i = 0; i < 5; i += 1) {
      report.overflowed('replicas');
      report.overflowed('accounts');
    }
    expect(messages()).to.have.length(2);
    expect(messages()[0]).to.include('more than 1000 replicas');
    expect(messages()[1]).to.include('more than 1000000 accounts');
  });

  it('tells once that Redis holds more than the audit records', () => {
    report.exceeded('one', { totalSigns: 30, errorCount: 1 });
    report.exceeded('one', { totalSigns: 31, errorCount: 1 });
    expect(messages()).to.have.length(1);
    expect(messages()[0]).to.include('the instance one').and.include('(signatures: 30, errors: 1)');
  });
});
