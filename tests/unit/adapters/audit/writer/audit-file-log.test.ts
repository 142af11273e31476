import { expect } from 'chai';
import { AuditFileLog } from '../../../../../src/adapters/audit/writer/audit-file-log.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { FixedClock } from '../../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';

const SECONDS = 600;
const FILE = '/var/audit/audit.000000000001.jsonl';

describe('AuditFileLog', () => {
  it('logs one failure and one recovery a minute while a disk fails and recovers in turn, and another failure at once', () => {
    const [clock, log] = [new FixedClock(), new RecordingServiceLog()];
    const auditLog = new AuditFileLog(log, clock);
    for (let second = 0; second < SECONDS; second += 1) {
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
