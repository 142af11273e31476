import { expect } from 'chai';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import type { AuditEntry } from '../../../../src/domain/model/audit-entry.ts';
import { AuditEntryService } from '../../../../src/domain/services/audit-entry-service.ts';
import { RecentActivity, recentRate } from '../../../../src/domain/services/recent-activity.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { RecordingMetrics } from '../../../doubles/recording-metrics.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';

const INTERVAL_MS = 5000;

function setUp() {
  const clock = new FixedClock();
  clock.advance(1234.5);
  const activity = new RecentActivity(clock, { lastResult: null });
  const record = (fields: Partial<AuditEntry> = {}, times = 1) => {
    for (let time = 0; time < times; time += 1) {
      activity.record(sampleAuditEntry({ event: 'sign', outcome: 'success', ...fields }), clock.monotonic());
    }
  };
  const refuse = (fields: Partial<AuditEntry> = {}) =>
    record({ outcome: 'refused', errorCode: 'POLICY_DENIED', ...fields });
  return { clock, activity, record, refuse };
}

describe('RecentActivity', () => {
  it('counts only signatures and refused attempts to sign, by interval, once the interval is over', () => {
    const { clock, activity, record, refuse } = setUp();
    record({}, 3);
    for (const event of ['verify', 'dry-run', 'start', 'reload'] as const) record({ event });
    expect(activity.report().signatures).to.deep.equal([]);
    clock.advance(INTERVAL_MS);
    refuse();
    clock.advance(2 * INTERVAL_MS);
    record({}, 2);
    clock.advance(INTERVAL_MS - 1);
    expect(activity.report().signatures).to.deep.equal([3, 0, 0]);
    clock.advance(1);
    expect(activity.report().signatures).to.deep.equal([3, 0, 0, 2]);
    expect(activity.report().refusals).to.deep.equal([0, 1, 0, 0]);
  });

  it('keeps five minutes of intervals, and none of them after a longer pause', () => {
    const { clock, activity, record } = setUp();
    for (let interval = 1; interval <= 70; interval += 1) {
      record({}, interval);
      clock.advance(INTERVAL_MS);
    }
    expect(activity.report().signatures).to.deep.equal(Array.from({ length: 60 }, (_, index) => index + 11));
    clock.advance(1000 * INTERVAL_MS);
    expect(activity.report().signatures).to.deep.equal(Array.from({ length: 60 }, () => 0));
    record({}, 4);
    clock.advance(INTERVAL_MS);
    expect(activity.report().signatures.slice(-2)).to.deep.equal([0, 4]);
  });

  it('counts no caller for a failed reload that nobody requested', () => {
    const { activity, record } = setUp();
    const ids = { platformId: null, accountId: null, correlationId: null };
    record({ event: 'reload', outcome: 'failed', errorCode: 'CONFIG_LOAD_FAILED', ...ids });
    const { accounts, callers } = activity.report().refusedBy;
    expect([accounts, callers]).to.deep.equal([[], []]);
  });

  it('counts the policies and budgets that refused, not those that would have or that allowed', () => {
    const { activity, refuse } = setUp();
    refuse({ policy: 'trade-only,no-withdrawal,audit:small' });
    refuse({ policy: 'no-withdrawal' });
    refuse({ errorCode: 'BUDGET_EXCEEDED', policy: 'budget:daily,trade-only' });
    refuse({ errorCode: 'SIGNATURE_FAILED', policy: 'trade-only' });
    const counts = activity.report().refusedBy.policies.map(({ policy, count }) => [policy, count]);
    expect(counts).to.deep.equal([
      ['no-withdrawal', 2],
      ['trade-only', 1],
      ['budget:daily', 1],
    ]);
  });

  it('lists twenty, counts two hundred one by one, and the rest together', () => {
    const { activity, refuse } = setUp();
    for (let index = 0; index < 250; index += 1) {
      refuse({ accountId: `account-${index}`, principal: 'bot-1', policy: `policy-${index}` });
    }
    refuse({ accountId: 'account-77', principal: 'bot-1', policy: null });
    const { accounts, callers, policies, others } = activity.report().refusedBy;
    expect(accounts).to.have.lengthOf(20);
    expect(accounts[0]).to.include({ accountId: 'account-77', count: 2 });
    expect(callers.map(({ count }) => count)).to.deep.equal([251]);
    expect(policies).to.have.lengthOf(20);
    expect(others).to.deep.equal({ accounts: 50, callers: 0, policies: 50 });
  });

  it('keeps the last twenty records, newest first, without request data', () => {
    const { activity, record } = setUp();
    for (let index = 0; index < 47; index += 1) {
      record({ correlationId: `request-${index}`, data: { amount: 'secret-4711' } });
    }
    const before = activity.report();
    const { records } = before;
    const newestFirst = Array.from({ length: 20 }, (_, index) => `request-${46 - index}`);
    expect(records.map(({ correlationId }) => correlationId)).to.deep.equal(newestFirst);
    expect(records[0]).to.have.all.keys(
      ...['time', 'event', 'outcome', 'errorCode', 'platformId', 'accountId', 'principal', 'policy', 'correlationId'],
    );
    expect(JSON.stringify(before)).not.to.include('4711');
    record({ correlationId: 'later' });
    expect(records.map(({ correlationId }) => correlationId)).to.deep.equal(newestFirst);
  });

  it('keeps durable records only, and counts attempts that could not be recorded as refused', async () => {
    const { clock, activity } = setUp();
    const log = new RecordingServiceLog();
    const context = { principal: 'bot-1', correlationId: 'request-1', traceparent: null, remoteAddress: null };
    for (const sink of [new FailingAuditSink(), new MemoryAuditSink()]) {
      const service = new AuditEntryService({
        ...{ sink, hasher: new NodeHasher(), clock, instanceId: 'instance-1', log, activity },
        metrics: new RecordingMetrics(),
      });
      const recorded = await service.recordRejectedRequest('sign', 'RATE_LIMITED', context);
      const seen = activity.report().records.map(({ errorCode }) => errorCode);
      expect(seen).to.deep.equal(recorded.ok ? ['RATE_LIMITED'] : []);
      const [caller] = activity.report().refusedBy.callers;
      expect(caller).to.include(
        recorded.ok ? { count: 2, lastCode: 'RATE_LIMITED' } : { count: 1, lastCode: 'SIGNATURE_FAILED' },
      );
    }
    activity.recordFailed(sampleAuditEntry({ event: 'sign', outcome: 'success' }), clock.monotonic());
    clock.advance(INTERVAL_MS);
    expect(activity.report()).to.deep.include({ signatures: [0], refusals: [3] });
  });
});

describe('The recent rate', () => {
  it('is the mean of the last minute, per second', () => {
    expect(recentRate([1000, ...new Array(12).fill(10)], 5)).to.equal(2);
    expect(recentRate([10], 5)).to.equal(2);
    expect(recentRate([], 5)).to.equal(0);
  });
});
