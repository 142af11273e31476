import { expect } from 'chai';
import { AuditFileLog } from '../../../../../src/adapters/audit/writer/audit-file-log.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { FixedClock } from '../../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';

const FILE = '/var/audit/audit.jsonl';

describe('AuditFileLog', () => {
  let clock: FixedClock;
  let log: RecordingServiceLog;
  let auditLog: AuditFileLog;

  beforeEach(() => {
    clock = new FixedClock();
    log = new RecordingServiceLog();
    auditLog = new AuditFileLog(log, clock);
  });

  it('logs one checkpoint a minute, and the last one on close', () => {
    const checkpoint = (seq: number) => ({ instanceId: 'i', seq, time: 't', hash: `hash-${seq}`, sig: 's' });
    const logged = () => log.events.map(({ facts }) => facts);
    expect(auditLog.checkpoint).to.equal(null);
    auditLog.signed(checkpoint(1));
    auditLog.signed(checkpoint(2));
    clock.advance(59_999);
    auditLog.signed(checkpoint(3));
    expect(logged()).to.deep.equal([checkpoint(1)]);
    clock.advance(1);
    auditLog.signed(checkpoint(4));
    auditLog.signed(checkpoint(5));
    expect(logged()).to.deep.equal([checkpoint(1), checkpoint(4)]);
    expect(auditLog.checkpoint).to.deep.equal(checkpoint(5));
    auditLog.logCheckpoint();
    auditLog.logCheckpoint();
    expect(logged()).to.deep.equal([checkpoint(1), checkpoint(4), checkpoint(5)]);
  });

  it('logs one failure and one recovery a minute while a disk fails and recovers in turn, and another failure at once', () => {
    for (let second = 0; second < 600; second += 1) {
      auditLog.failed(FILE, new AuditUnavailableError('full'));
      if (second === 0) auditLog.failed(FILE, new AuditUnavailableError('other'));
      auditLog.recovered(FILE, 'write-error');
      clock.advance(1000);
    }
    expect(log.events.filter(({ level }) => level === 'error').map(({ facts }) => facts['count'])).to.deep.equal([
      ...[1, 1],
      ...Array.from({ length: 9 }, () => 60),
    ]);
    expect(log.events.filter(({ level }) => level === 'info')).to.have.length(10);
  });
});
