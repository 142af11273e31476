import { expect } from 'chai';
import {
  CHECKS_PER_TIMEOUT,
  MAX_GROUP_RECORDS,
  type PendingRecord,
  RecordQueue,
} from '../../../../../src/adapters/driven/audit-sink/record-queue.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

const STUCK = new AuditUnavailableError('stuck');
const CLOSED = new AuditUnavailableError('closed');

describe('RecordQueue', () => {
  let queue: RecordQueue;
  let answers: Map<string, (Error | null)[]>;

  beforeEach(() => {
    queue = new RecordQueue({ maxQueuedRecords: 3, maxQueuedLength: 1_000_000 });
    answers = new Map();
  });

  function record(name: string): PendingRecord {
    const given: (Error | null)[] = [];
    answers.set(name, given);
    const entry = sampleAuditEntry({ correlationId: name });
    return { entry, length: 1000, acknowledge: (error) => given.push(error) };
  }

  function pass(checks: number): boolean {
    return Array.from({ length: checks }, () => queue.check()).includes(true);
  }

  it('gives groups that hold the event loop up for a moment only, first come, first served', () => {
    queue = new RecordQueue({ maxQueuedRecords: 10_000, maxQueuedLength: 100_000_000 });
    const records = Array.from({ length: MAX_GROUP_RECORDS + 1 }, (_, index) => record(`r-${index}`));
    for (const each of records) queue.add(each);
    const first = queue.takeGroup();
    queue.settleGroup(null);
    const groups = [...first, ...queue.takeGroup()];
    expect(MAX_GROUP_RECORDS).to.be.at.most(500);
    expect(first).to.have.length(MAX_GROUP_RECORDS);
    expect(groups.map(({ entry }) => entry)).to.deep.equal(records.map(({ entry }) => entry));
  });

  it('has room for so many records, those included that are being written', () => {
    queue.add(record('a'));
    queue.add(record('b'));
    queue.takeGroup();
    expect(queue.isEmpty).to.equal(true);
    expect(queue.hasRoomFor(record('c'))).to.equal(true);
    queue.add(record('c'));
    expect([queue.size, queue.hasRoomFor(record('d'))]).to.deep.equal([3, false]);
    queue.settleGroup(null);
    expect([queue.size, queue.hasRoomFor(record('d'))]).to.deep.equal([1, true]);
  });

  it('refuses each record when its own time is over, whether it is being written or waits', () => {
    queue.add(record('a'));
    queue.takeGroup();
    pass(4);
    queue.add(record('b'));
    pass(2);
    queue.add(record('c'));
    expect(pass(CHECKS_PER_TIMEOUT - 6)).to.equal(false);
    expect(queue.isStuck).to.equal(false);
    for (const name of ['a', 'b', 'c']) {
      const checks = { a: 1, b: 4, c: 2 }[name] ?? 0;
      expect(pass(checks - 1)).to.equal(false);
      expect(pass(1)).to.equal(true);
      expect(queue.refuseOverdue(STUCK)).to.equal(1);
      expect(answers.get(name)).to.deep.equal([STUCK]);
      expect(queue.isStuck).to.equal(true);
    }
  });

  it('answers each record once, and does not write what was refused before its turn', () => {
    queue.add(record('a'));
    queue.takeGroup();
    queue.add(record('b'));
    pass(CHECKS_PER_TIMEOUT + 1);
    queue.refuseOverdue(STUCK);
    queue.settleGroup(null);
    expect(queue.isStuck).to.equal(true);
    expect(queue.takeGroup()).to.deep.equal([]);
    queue.settleGroup(null);
    expect(queue.isStuck).to.equal(false);
    queue.add(record('c'));
    queue.refuseAll(CLOSED);
    queue.refuseAll(CLOSED);
    expect(Object.fromEntries(answers)).to.deep.equal({ a: [STUCK], b: [STUCK], c: [CLOSED] });
  });
});
