import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import type { SignRequest } from '../../../../src/domain/model/sign-request.ts';
import { ReloadHistory } from '../../../../src/domain/services/reload-service.ts';
import { StatusService } from '../../../../src/domain/services/status-service.ts';
import type { AuditSink } from '../../../../src/ports/audit-sink.ts';
import type { UsageLedger } from '../../../../src/ports/usage-ledger.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { DelayingAuditSink } from '../../../doubles/delaying-audit-sink.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { ROOMY_DISK } from '../../../doubles/quiet-state.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';
import { isSettled } from './is-settled.ts';
import { acceptedValue, refusalOf } from './outcome-expectations.ts';
import { CONTEXT, SigningWorkbench } from './signing-workbench.ts';

const REQUEST = { platformId: 'alpha', accountId: 'main', data: {} };

function setUpWith<Sink extends AuditSink>(makeSink: (usage: UsageLedger) => Sink) {
  const bench = new SigningWorkbench({ makeSink });
  bench.clock.advance(5000);
  const { registry, usage, performance, sink, clock } = bench;
  const reloads = new ReloadHistory();
  const config = { path: 'config/credentials.json', isWatching: true };
  const instance = { id: 'instance-1', version: '1.2.3' };
  const auditFile = { path: 'var/audit/audit.jsonl', disk: () => ROOMY_DISK, checkpointCopies: () => [COPY] };
  const status = new StatusService({
    ...{ registry, usage, performance, sink, reloads, clock, config, instance, auditFile },
  });
  return { bench, reloads, status, service: { report: () => acceptedValue(status.report(CONTEXT)) } };
}

const COPY = { setting: 'SIGNING_AUDIT_CHECKPOINT_FILE', place: '/c', seq: 7, failures: 2 };

const setUp = () => setUpWith((usage) => new MemoryAuditSink(usage));

/** Signs each in an event-loop turn of its own, so that each has its own record. */
async function signInTurns(
  bench: SigningWorkbench<DelayingAuditSink>,
  requests: readonly SignRequest[],
): Promise<readonly unknown[]> {
  const responses: Promise<unknown>[] = [];
  for (const request of requests) {
    responses.push(bench.signing.sign(request, CONTEXT));
    await eventLoopTurn();
  }
  return Promise.all(responses);
}

describe('StatusService', () => {
  it('reports an unused service without accounts', () => {
    expect(setUp().service.report()).to.deep.equal({
      status: 'degraded',
      uptimeMs: 0,
      instance: { id: 'instance-1', version: '1.2.3' },
      config: {
        path: 'config/credentials.json',
        lastLoaded: null,
        isWatching: true,
        lastReload: null,
        reloads: { succeeded: 0, failed: 0 },
      },
      accounts: { total: 0, byPlatform: {} },
      performance: { avgSigningTimeMs: 0, totalSigns: 0, errorRate: 0 },
      usage: { mode: 'alone' },
      audit: {
        path: 'var/audit/audit.jsonl',
        isAvailable: true,
        head: { seq: 0, hash: null },
        checkpoint: null,
        disk: ROOMY_DISK,
        checkpointCopies: [COPY],
      },
    });
  });

  it('reports the result of the last configuration load, and the count of each result', () => {
    const { reloads, service } = setUp();
    const at = '2026-11-20T08:49:07.000Z';
    const issues = [{ path: 'accounts[0].key', message: 'is wrong' }];
    reloads.note({
      at: '2026-11-20T08:49:06.000Z',
      trigger: 'start',
      outcome: 'success',
      issues: [],
      isTransient: false,
    });
    reloads.note({ at, trigger: 'watch', outcome: 'failed', issues, isTransient: false });
    const { lastReload, reloads: counts } = service.report().config;
    expect(lastReload).to.deep.equal({ at, trigger: 'watch', outcome: 'failed', issues, isTransient: false });
    expect(counts).to.deep.equal({ succeeded: 1, failed: 1 });
  });

  it('reports only to callers with permission', () => {
    const { bench, status } = setUp();
    bench.serve([], [], [{ principals: ['monitor'], operations: ['status'] }]);
    expect(acceptedValue(status.report({ principal: 'monitor' })).status).to.equal('degraded');
    for (const principal of ['desk-7', null]) {
      const { code, details } = refusalOf(status.report({ principal }));
      expect(code).to.equal('FORBIDDEN');
      expect(details).to.deep.equal({
        operation: 'status',
        principal: principal ?? 'anonymous',
        reason: 'PERMISSION_DENIED',
      });
    }
  });

  it('measures the uptime from its start, and not by the wall clock', () => {
    const { bench, service } = setUp();
    bench.clock.advance(3_723_004);
    expect(service.report().uptimeMs).to.equal(3_723_004);
    bench.clock.set('1999-01-01T00:00:00.000Z');
    expect(service.report().uptimeMs).to.equal(3_723_004);
  });

  it('counts accounts by platform, including empty platforms, and reports when they were loaded', () => {
    const { bench, service } = setUp();
    const accounts = [
      bench.enrol({}, samplePrivateKey(1)),
      bench.enrol({ accountId: 'spare', status: 'disabled' }, samplePrivateKey(2)),
      bench.enrol({ platformId: 'beta' }, samplePrivateKey(3)),
    ];
    const platforms = ['alpha', 'beta', 'gamma'].map((platformId) => samplePlatform({ platformId }));
    bench.serve(platforms, accounts);
    expect(service.report().accounts).to.deep.equal({ total: 3, byPlatform: { alpha: 2, beta: 1, gamma: 0 } });
    expect(service.report().config.lastLoaded).to.equal('2026-11-20T08:49:05.000Z');
  });

  it('returns the share of attempts that ended without a signature, unknown accounts included', async () => {
    const { bench, service } = setUp();
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    for (let i = 0; i < 6; i += 1) await bench.signing.sign(REQUEST, CONTEXT);
    await bench.signing.sign({ ...REQUEST, accountId: 'nobody' }, CONTEXT);
    await bench.signing.sign({ ...REQUEST, platformId: 'nowhere' }, CONTEXT);
    expect(service.report().performance).to.deep.include({ totalSigns: 6, errorRate: 0.25 });
  });

  it('returns the mean time of released signatures, from the request to the durable record', async () => {
    const { bench, service } = setUpWith((usage) => new DelayingAuditSink(usage));
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    const requests = [REQUEST, REQUEST, { ...REQUEST, accountId: 'nobody' }];
    const responses = signInTurns(bench, requests);
    await isSettled(responses);
    bench.clock.advance(2);
    bench.sink.succeed();
    await isSettled(responses);
    bench.clock.advance(3);
    bench.sink.succeed();
    await isSettled(responses);
    bench.clock.advance(100);
    bench.sink.succeed();
    await responses;
    expect(service.report().performance).to.deep.equal({ avgSigningTimeMs: 3.5, totalSigns: 2, errorRate: 1 / 3 });
  });

  it('counts the time of a batch divided by its items, not the whole wait for each', async () => {
    const { bench, service } = setUpWith((usage) => new DelayingAuditSink(usage));
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    const items = Array.from({ length: 10 }, (_, index) => ({ ...REQUEST, requestId: `r-${index}` }));
    const batch = bench.batches.signAll(items, CONTEXT);
    await isSettled(batch);
    bench.clock.advance(20);
    bench.sink.succeed();
    await batch;
    expect(service.report().performance).to.deep.equal({ avgSigningTimeMs: 2, totalSigns: 10, errorRate: 0 });
    expect(new Set(bench.metrics.attempts.map(({ durationMs }) => durationMs))).to.deep.equal(new Set([2]));
  });

  it('counts recorded signatures and errors of earlier processes, but not their time', () => {
    const { bench, service } = setUp();
    for (const outcome of ['success', 'success', 'failed'] as const) bench.usage.count(sampleAuditEntry({ outcome }));
    expect(service.report().performance).to.deep.equal({ avgSigningTimeMs: 0, totalSigns: 2, errorRate: 1 / 3 });
  });

  it('counts an attempt that could not be recorded as an error', async () => {
    const { bench, service } = setUpWith((usage) => new DelayingAuditSink(usage));
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    const responses = signInTurns(bench, [REQUEST, REQUEST, REQUEST, REQUEST]);
    await isSettled(responses);
    for (let i = 0; i < 3; i += 1) bench.sink.succeed();
    bench.sink.fail();
    await responses;
    expect(service.report().performance).to.deep.include({ totalSigns: 3, errorRate: 0.25 });
  });

  it('returns consistent numbers, whatever was counted', () => {
    const durations = fc.array(fc.double({ min: 0, max: 1000, noNaN: true }), { maxLength: 30 });
    fc.assert(
      fc.property(durations, fc.nat(30), fc.nat(30), (times, recorded, unrecorded) => {
        const { bench, service } = setUp();
        for (const time of times) {
          bench.usage.count(sampleAuditEntry());
          bench.performance.countReleased(time);
        }
        for (let i = 0; i < recorded; i += 1) bench.usage.count(sampleAuditEntry({ outcome: 'refused' }));
        for (let i = 0; i < unrecorded; i += 1) bench.performance.countUnrecorded();
        const { totalSigns, errorRate, avgSigningTimeMs } = service.report().performance;
        const errors = recorded + unrecorded;
        expect(totalSigns).to.equal(times.length);
        expect(errorRate).to.be.within(0, 1);
        expect(errorRate * (totalSigns + errors)).to.be.closeTo(errors, 1e-9);
        expect(avgSigningTimeMs).to.be.within(0, 1000.000001);
        expect(avgSigningTimeMs * totalSigns).to.be.closeTo(
          times.reduce((sum, time) => sum + time, 0),
          1e-6,
        );
      }),
    );
  });

  it('is degraded while audit records cannot be written, and healthy again after', () => {
    expect(setUpWith(() => new FailingAuditSink()).service.report().status).to.equal('degraded');

    const doNothing = async () => {};
    const probe = async () => null;
    const head = { seq: 0, hash: null };
    const idle = {
      head,
      checkpoint: null,
      queued: 0,
      facts: {},
      append: doNothing,
      probe,
      reopen: doNothing,
      close: doNothing,
    };
    const sink = { ...idle, available: true };
    const { bench, service } = setUpWith(() => sink);
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    expect(service.report().status).to.equal('healthy');
    sink.available = false;
    expect(service.report().status).to.equal('degraded');
    sink.available = true;
    expect(service.report().status).to.equal('healthy');
  });

  it('is degraded without an account, and healthy with one', () => {
    const { bench, service } = setUp();
    expect(service.report().status).to.equal('degraded');
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    expect(service.report().status).to.equal('healthy');
  });

  it('exposes only what an operator may see: no account, no key', () => {
    const { bench, service } = setUp();
    const account = bench.enrol({ accountId: 'very-private', alias: 'Private' }, samplePrivateKey(1));
    bench.serve([samplePlatform()], [account]);
    expect(JSON.stringify(service.report())).not.to.match(
      new RegExp(`private|${account.publicKey}|${account.key.id}`, 'i'),
    );
  });
});
