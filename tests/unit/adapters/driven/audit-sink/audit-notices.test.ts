import { expect } from 'chai';
import { AuditNotices } from '../../../../../src/adapters/driven/audit-sink/audit-notices.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { FixedClock } from '../../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';

const FILE = '/var/audit/audit.jsonl';

describe('AuditNotices', () => {
  let clock: FixedClock;
  let log: RecordingServiceLog;
  let notices: AuditNotices;

  beforeEach(() => {
    clock = new FixedClock();
    log = new RecordingServiceLog();
    notices = new AuditNotices(log, clock);
  });

  it('tells of one checkpoint a minute, and of the last when the file is closed', () => {
    const checkpoint = (seq: number) => ({ instanceId: 'i', seq, time: 't', hash: `hash-${seq}`, sig: 's' });
    const logged = () => log.events.map(({ facts }) => facts);
    expect(notices.checkpoint).to.equal(null);
    notices.signed(checkpoint(1));
    notices.signed(checkpoint(2));
    clock.advance(59_999);
    notices.signed(checkpoint(3));
    expect(logged()).to.deep.equal([checkpoint(1)]);
    clock.advance(1);
    notices.signed(checkpoint(4));
    notices.signed(checkpoint(5));
    expect(logged()).to.deep.equal([checkpoint(1), checkpoint(4)]);
    expect(notices.checkpoint).to.deep.equal(checkpoint(5));
    notices.logCheckpoint();
    notices.logCheckpoint();
    expect(logged()).to.deep.equal([checkpoint(1), checkpoint(4), checkpoint(5)]);
  });

  it('tells of the same trouble once a minute, and of another, and of the same after it was over, at once', () => {
    const full = new AuditUnavailableError('full');
    const broken = new AuditUnavailableError('broken');
    notices.damaged(FILE, full);
    notices.damaged(FILE, full);
    expect(log.events).to.have.length(1);
    notices.damaged(FILE, broken);
    expect(log.events).to.have.length(2);
    clock.advance(59_999);
    notices.damaged(FILE, broken);
    expect(log.events).to.have.length(2);
    clock.advance(1);
    notices.damaged(FILE, broken);
    expect(log.events).to.have.length(3);
    notices.recovered(FILE, 'write-error');
    notices.damaged(FILE, broken);
    expect(log.events.map(({ level }) => level)).to.deep.equal(['error', 'error', 'error', 'info', 'error']);
  });
});
