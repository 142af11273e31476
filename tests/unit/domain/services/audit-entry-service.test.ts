import { expect } from 'chai';
import { NodeHasher } from '../../../../src/adapters/node/node-hasher.ts';
import type { AuditEntry } from '../../../../src/domain/model/audit-entry.ts';
import { AuditUnavailableError } from '../../../../src/domain/model/errors.ts';
import { accepted, type Outcome, refused } from '../../../../src/domain/model/outcome.ts';
import {
  accountNotFound,
  budgetUnavailable,
  configLoadFailed,
  permissionDenied,
  signatureFailed,
} from '../../../../src/domain/model/refusal.ts';
import { AuditEntryService, type SigningAttempt } from '../../../../src/domain/services/audit-entry-service.ts';
import type { AuditSink } from '../../../../src/ports/audit-sink.ts';
import { DelayingAuditSink } from '../../../doubles/delaying-audit-sink.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { RecordingMetrics } from '../../../doubles/recording-metrics.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { CONTEXT, REQUEST } from './signing-workbench.ts';

const NO_FACTS: Omit<AuditEntry, 'event' | 'outcome'> = {
  time: '2026-11-20T08:49:00.000Z',
  errorCode: null,
  platformId: null,
  accountId: null,
  algorithm: null,
  keyId: null,
  policy: null,
  payloadDigest: null,
  signatureDigest: null,
  data: null,
  correlationId: null,
  traceparent: null,
  batchRequestId: null,
  principal: null,
  remoteAddress: null,
  durationMs: null,
  instanceId: 'instance-1',
};

const REFUSED: SigningAttempt = { outcome: refused(accountNotFound('alpha', 'main')) };

function setUp<Sink extends AuditSink>(sink: Sink) {
  const clock = new FixedClock();
  const log = new RecordingServiceLog();
  const metrics = new RecordingMetrics();
  const service = new AuditEntryService(sink, new NodeHasher(), clock, 'instance-1', log, metrics);
  const record = (attempt: SigningAttempt, startedAt = 0) => {
    const task = { request: REQUEST, context: CONTEXT, batchRequestId: null, startedAt };
    return service.recordAttempts([{ task, attempt }]);
  };
  return { sink, clock, log, metrics, service, record };
}

describe('AuditEntryService', () => {
  it('records a refusal as the fault of the request or as a failure of the service', async () => {
    const { sink, record } = setUp(new MemoryAuditSink());
    const refusals = [
      accountNotFound('alpha', 'main'),
      signatureFailed('alpha', 'main', new Error('why')),
      budgetUnavailable('alpha', 'main'),
    ];
    for (const refusal of refusals) acceptedValue(await record({ outcome: refused(refusal) }));
    expect(sink.entries.map(({ outcome, errorCode, data }) => [outcome, errorCode, data])).to.deep.equal([
      ['refused', 'ACCOUNT_NOT_FOUND', null],
      ['failed', 'SIGNATURE_FAILED', null],
      ['failed', 'BUDGET_UNAVAILABLE', null],
    ]);
    expect(JSON.stringify(sink.entries)).not.to.include('why');
  });

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

  it('accepts nothing that the sink does not write, whatever it throws, and hides the cause from callers', async () => {
    const cause = new Error('EIO at /var/audit');
    class ThrowingSink extends MemoryAuditSink {
      override append(): never {
        throw cause;
      }
    }
    const { service, log, record } = setUp(new ThrowingSink());
    const attempts: readonly Promise<Outcome<null>>[] = [
      record(REFUSED),
      service.recordLifecycle('start', {}),
      service.recordRejectedRequest('sign', 'X', CONTEXT),
    ];
    for (const outcome of await Promise.all(attempts)) {
      const { code, message, details } = refusalOf(outcome);
      expect({ code, details }).to.deep.equal({ code: 'SIGNATURE_FAILED', details: { reason: 'AUDIT_UNAVAILABLE' } });
      expect(message).not.to.match(/EIO|var/);
    }
    expect(log.events.map(({ level, facts }) => [level, facts['cause']])).to.deep.equal([['error', cause]]);
  });

  it('logs a failure at once, then once a minute with the number of records', async () => {
    const { sink, log, clock, record } = setUp(new DelayingAuditSink());
    const recordAll = async (outcome: 'fail' | 'succeed', count: number) => {
      for (let index = 0; index < count; index += 1) {
        const recorded = record(REFUSED);
        sink[outcome]();
        await recorded;
      }
      return log.events.map(({ level, facts }) => [level, facts['failed']]);
    };
    expect(await recordAll('fail', 100)).to.deep.equal([['error', 1]]);
    expect(log.events[0]?.facts).to.include({ event: 'sign', correlationId: 'c-1' });
    expect(log.events[0]?.facts['cause']).to.be.instanceOf(AuditUnavailableError);
    expect(await recordAll('succeed', 1)).to.have.lengthOf(1);
    clock.advance(60_000);
    expect((await recordAll('fail', 2)).slice(1)).to.deep.equal([['error', 100]]);
    clock.advance(60_000);
    expect((await recordAll('succeed', 2)).slice(2)).to.deep.equal([['info', 1]]);
  });

  it('records a malformed request, with its caller alone', async () => {
    const { sink, service } = setUp(new MemoryAuditSink());
    acceptedValue(await service.recordRejectedRequest('verify', 'INVALID_DATA_FORMAT', CONTEXT));
    expect(sink.entries).to.deep.equal([
      { ...NO_FACTS, event: 'verify', outcome: 'refused', errorCode: 'INVALID_DATA_FORMAT', ...CONTEXT },
    ]);
  });

  it('records a reload, for any trigger and outcome', async () => {
    const { sink, clock, service } = setUp(new MemoryAuditSink());
    clock.advance(20);
    const requested = { trigger: 'request', context: CONTEXT } as const;
    const issues = [{ path: 'accounts[0].key', message: 'is wrong' }];
    await service.recordReload([requested], accepted({ accountCount: 3 }), 5);
    await service.recordReload([{ trigger: 'watch', context: null }], refused(configLoadFailed('file', issues)), 5);
    await service.recordReload([requested], refused(permissionDenied('reload', 'desk-7')), 5);
    const shared = { ...NO_FACTS, time: '2026-11-20T08:49:00.020Z', event: 'reload', durationMs: 15 };
    const denied = { trigger: 'request', reason: 'PERMISSION_DENIED' };
    expect(sink.entries).to.deep.equal([
      { ...shared, outcome: 'success', data: { trigger: 'request', accountCount: 3 }, ...CONTEXT },
      { ...shared, outcome: 'failed', errorCode: 'CONFIG_LOAD_FAILED', data: { trigger: 'watch', issues } },
      { ...shared, outcome: 'refused', errorCode: 'FORBIDDEN', data: denied, ...CONTEXT },
    ]);
  });

  it('records the start of the service with its facts, and no request', async () => {
    const { sink, service } = setUp(new MemoryAuditSink());
    await service.recordLifecycle('start', { version: '1.2.3' });
    expect(sink.entries).to.deep.equal([
      { ...NO_FACTS, event: 'start', outcome: 'success', data: { version: '1.2.3' } },
    ]);
  });
});
