import { expect } from 'chai';
import fc from 'fast-check';
import { StatusService } from '../../../../src/domain/services/status-service.ts';
import type { AuditSink } from '../../../../src/ports/audit-sink.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { DelayingAuditSink } from '../../../doubles/delaying-audit-sink.ts';
import { FailingAuditSink } from '../../../doubles/failing-audit-sink.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { isSettled } from './is-settled.ts';
import { CONTEXT, SigningWorkbench } from './signing-workbench.ts';

const REQUEST = { platformId: 'alpha', accountId: 'main', data: {} };

function setUp<Sink extends AuditSink>(sink: Sink) {
  const bench = new SigningWorkbench({ sink });
  bench.clock.advance(5000);
  const service = new StatusService(bench.registry, bench.usage, bench.audit, bench.clock, 'config/credentials.json');
  return { bench, service };
}

describe('StatusService', () => {
  it('reports a service that has done nothing yet', () => {
    expect(setUp(new MemoryAuditSink()).service.report()).to.deep.equal({
      status: 'healthy',
      uptimeMs: 0,
      config: { path: 'config/credentials.json', lastLoaded: null, isWatching: false },
      accounts: { total: 0, byPlatform: {} },
      performance: { avgSigningTimeMs: 0, totalSigns: 0, errorRate: 0 },
    });
  });

  it('counts the uptime from its start, and not by the wall clock', () => {
    const { bench, service } = setUp(new MemoryAuditSink());
    bench.clock.advance(3_723_004);
    expect(service.report().uptimeMs).to.equal(3_723_004);
    bench.clock.set('1999-01-01T00:00:00.000Z');
    expect(service.report().uptimeMs).to.equal(3_723_004);
  });

  it('counts accounts by platform, platforms without one included, and says when they were loaded', () => {
    const { bench, service } = setUp(new MemoryAuditSink());
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

  it('gives the share of attempts that ended without a signature, unknown accounts included', async () => {
    const { bench, service } = setUp(new MemoryAuditSink());
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    for (let i = 0; i < 6; i += 1) await bench.signing.sign(REQUEST, CONTEXT);
    await bench.signing.sign({ ...REQUEST, accountId: 'nobody' }, CONTEXT);
    await bench.signing.sign({ ...REQUEST, platformId: 'nowhere' }, CONTEXT);
    expect(service.report().performance).to.deep.include({ totalSigns: 6, errorRate: 0.25 });
  });

  it('gives the mean time of released signatures, from the request to the durable record', async () => {
    const { bench, service } = setUp(new DelayingAuditSink());
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    const requests = [REQUEST, REQUEST, { ...REQUEST, accountId: 'nobody' }];
    const answers = Promise.all(requests.map((request) => bench.signing.sign(request, CONTEXT)));
    await isSettled(answers);
    bench.clock.advance(2);
    bench.sink.succeed();
    await isSettled(answers);
    bench.clock.advance(3);
    bench.sink.succeed();
    await isSettled(answers);
    bench.clock.advance(100);
    bench.sink.succeed();
    await answers;
    expect(service.report().performance).to.deep.equal({ avgSigningTimeMs: 3.5, totalSigns: 2, errorRate: 1 / 3 });
  });

  it('gives numbers that agree with one another, whatever was counted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1000, noNaN: true }), { maxLength: 30 }),
        fc.nat(30),
        (durations, errors) => {
          const { bench, service } = setUp(new MemoryAuditSink());
          for (const duration of durations) bench.usage.recordSignature('alpha', 'main', 'now', duration);
          for (let i = 0; i < errors; i += 1) bench.usage.recordError(null, null);
          const { totalSigns, errorRate, avgSigningTimeMs } = service.report().performance;
          expect(totalSigns).to.equal(durations.length);
          expect(errorRate).to.be.within(0, 1);
          expect(errorRate * (totalSigns + errors)).to.be.closeTo(errors, 1e-9);
          expect(avgSigningTimeMs).to.be.within(0, 1000.000001);
          expect(avgSigningTimeMs * totalSigns).to.be.closeTo(
            durations.reduce((sum, duration) => sum + duration, 0),
            1e-6,
          );
        },
      ),
    );
  });

  it('is degraded while audit records can not be written, and healthy again after', () => {
    expect(setUp(new FailingAuditSink()).service.report().status).to.equal('degraded');

    const sink = { available: true, append: async () => {}, close: async () => {} };
    const { service } = setUp(sink);
    expect(service.report().status).to.equal('healthy');
    sink.available = false;
    expect(service.report().status).to.equal('degraded');
    sink.available = true;
    expect(service.report().status).to.equal('healthy');
  });

  it('names only what an operator may see: no account, no key', () => {
    const { bench, service } = setUp(new MemoryAuditSink());
    const account = bench.enrol({ accountId: 'very-private', alias: 'Private' }, samplePrivateKey(1));
    bench.serve([samplePlatform()], [account]);
    expect(JSON.stringify(service.report())).not.to.match(
      new RegExp(`private|${account.publicKey}|${account.key.id}`, 'i'),
    );
  });
});
