import { expect } from 'chai';
import { recordContent } from '../../../../../src/adapters/audit/record/signed-record.ts';
import {
  CHECKS_PER_TIMEOUT,
  MAX_GROUP_RECORDS,
  RecordQueue,
  type Submission,
} from '../../../../../src/adapters/audit/writer/record-queue.ts';
import { AuditUnavailableError } from '../../../../../src/domain/model/errors.ts';
import { sampleAuditEntry } from '../../../../doubles/sample-audit-entry.ts';

const STUCK = new AuditUnavailableError('stuck');

describe('RecordQueue', () => {
  let queue: RecordQueue;
  let responses: Map<string, (Error | null)[]>;

  beforeEach(() => {
    queue = new RecordQueue({ maxQueuedRecords: 3, maxQueuedLength: 1_000_000 });
    responses = new Map();
  });

  function submit(name: string, count = 1): Submission {
    const given: (Error | null)[] = [];
    responses.set(name, given);
    const records = Array.from({ length: count }, (_, index) => {
      const entry = sampleAuditEntry({ correlationId: `${name}-${index}` });
      return { content: recordContent(entry), counted: entry };
    });
    return { records, length: 1000, acknowledge: (error) => given.push(error) };
  }

  function pass(checks: number): boolean {
    return Array.from({ length: checks }, () => queue.check()).includes(true);
  }

  it('counts, writes and refuses the records of a submission together', () => {
    queue = new RecordQueue({ maxQueuedRecords: 1000, maxQueuedLength: 1_000_000 });
    queue.add(submit('a', MAX_GROUP_RECORDS - 100));
    // More than a group, on its own.
    queue.add(submit('b', MAX_GROUP_RECORDS + 1));
    expect([queue.size, queue.hasCapacity(submit('c', 500))]).to.deep.equal([901, false]);
    expect(queue.takeGroup()).to.have.length(MAX_GROUP_RECORDS - 100);
    queue.settleGroup(null);
    expect(queue.size).to.equal(501);
    expect(queue.takeGroup()).to.have.length(501);
    pass(CHECKS_PER_TIMEOUT + 1);
    expect(queue.refuseOverdue(STUCK)).to.equal(501);
    queue.settleGroup(null);
    expect([queue.size, responses.get('a'), responses.get('b')]).to.deep.equal([0, [null], [STUCK]]);
  });

  it('refuses each record at its own timeout, queued or being written', () => {
    queue.add(submit('a'));
    queue.takeGroup();
    pass(4);
    queue.add(submit('b'));
    pass(2);
    queue.add(submit('c'));
    expect(pass(CHECKS_PER_TIMEOUT - 6)).to.equal(false);
    expect(queue.isStuck).to.equal(false);
    for (const name of ['a', 'b', 'c']) {
      const checks = { a: 1, b: 4, c: 2 }[name] ?? 0;
      expect(pass(checks - 1)).to.equal(false);
      expect(pass(1)).to.equal(true);
      expect(queue.refuseOverdue(STUCK)).to.equal(1);
      expect(responses.get(name)).to.deep.equal([STUCK]);
      expect(queue.isStuck).to.equal(true);
    }
  });
});
