import { expect } from 'chai';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import { type Attempt, beginAttempt } from '../../../../src/domain/model/attempt.ts';
import { accepted, refuse, refused } from '../../../../src/domain/model/refusal.ts';
import { AuditEntryService } from '../../../../src/domain/services/audit-entry-service.ts';
import { RecentActivity } from '../../../../src/domain/services/recent-activity.ts';
import type { AuditSink } from '../../../../src/ports/audit-sink.ts';
import { DelayingAuditSink } from '../../../doubles/delaying-audit-sink.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { RecordingMetrics } from '../../../doubles/recording-metrics.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { CONTEXT, REQUEST } from './signing-workbench.ts';

const REFUSED = { outcome: refused(refuse('AccountNotFound', { platformId: 'alpha', accountId: 'main' })) };

function setUp<Sink extends AuditSink>(sink: Sink) {
  const clock = new FixedClock();
  const log = new RecordingServiceLog();
  const metrics = new RecordingMetrics();
  const activity = new RecentActivity(clock, { lastResult: null });
  const service = new AuditEntryService({
    ...{ sink, hasher: new NodeHasher(), clock, instanceId: 'instance-1', log, metrics, activity },
  });
  const record = (found: Partial<Attempt>, startedAt = 0) =>
    service.recordAttempts([{ ...beginAttempt('sign', REQUEST, CONTEXT, startedAt), ...found }]);
  return { sink, clock, log, metrics, service, record };
}

describe('AuditEntryService', () => {
  it('names the policies that decided, as many as fit in 512 characters', async () => {
    const { sink, record } = setUp(new MemoryAuditSink());
    const policies = Array.from({ length: 20 }, (_, index) => `p-${index}-`.padEnd(64, 'x'));
    await record({ ...REFUSED, decision: { isAllowed: true, effect: 'allow', policies, wouldDeny: ['last'] } });
    expect(sink.entries[0]?.policy).to.equal([...policies.slice(0, 7), 'audit:last'].join(','));
  });

  it('records the duration up to the record, to the microsecond', async () => {
    const { sink, clock, record } = setUp(new MemoryAuditSink());
    clock.advance(10);
    const startedAt = clock.monotonic();
    clock.advance(1.2345678);
    await record(REFUSED, startedAt);
    expect(sink.entries[0]?.durationMs).to.equal(1.235);
  });

  it('logs once that records can be written again', async () => {
    const { sink, log, record } = setUp(new DelayingAuditSink());
    for (const settle of ['fail', 'fail', 'succeed', 'succeed'] as const) {
      const recorded = record(REFUSED);
      sink[settle]();
      await recorded;
    }
    const logged = log.events.map(({ level, facts }) => [level, facts['failed']]);
    expect(logged).to.deep.equal([
      ['error', 1],
      ['info', 1],
    ]);
  });

  it('counts each record, with the time until it is durable or fails', async () => {
    const { sink, clock, metrics, record } = setUp(new DelayingAuditSink());
    for (const settle of ['succeed', 'fail'] as const) {
      const recorded = record(REFUSED);
      clock.advance(3);
      sink[settle]();
      await recorded;
    }
    expect(metrics.commits).to.deep.equal([
      { durationMs: 3, isDurable: true },
      { durationMs: 3, isDurable: false },
    ]);
  });

  it('records a reload, for any trigger and outcome', async () => {
    const { sink, clock, service } = setUp(new MemoryAuditSink());
    clock.advance(20);
    const requested = { trigger: 'request', context: CONTEXT } as const;
    const issues = [{ path: 'accounts[0].key', message: 'is wrong' }];
    await service.recordReload([requested], accepted({ accountCount: 3 }), 5);
    await service.recordReload(
      [{ trigger: 'watch', context: null }],
      refused(refuse('ConfigLoadFailed', { path: 'file', issues })),
      5,
    );
    expect(sink.entries[0]).to.deep.include({
      event: 'reload',
      time: '2026-11-20T08:49:00.020Z',
      durationMs: 15,
      ...CONTEXT,
    });
    expect(sink.entries.map(({ outcome, errorCode, principal, data }) => [outcome, errorCode, principal, data]))
      .to //
      .deep.equal([
        ['success', null, 'desk-7', { trigger: 'request', accountCount: 3 }],
        ['failed', 'CONFIG_LOAD_FAILED', null, { trigger: 'watch', issues }],
      ]);
  });
});
