import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { Registry } from '../../../../src/domain/model/registry.ts';
import { AccountCounts, MonitoringService } from '../../../../src/domain/services/monitoring-service.ts';
import { ReadinessService } from '../../../../src/domain/services/readiness-service.ts';
import { ReloadHistory } from '../../../../src/domain/services/reload-service.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { DelayingAuditSink } from '../../../doubles/delaying-audit-sink.ts';
import { QUIET_PROCESS, quietState } from '../../../doubles/quiet-state.ts';
import { CONTEXT, createWorkbench, REQUEST, SigningWorkbench, serveMain } from './signing-workbench.ts';

const QUIET = quietState();

function setUp() {
  const bench = new SigningWorkbench({ makeSink: (usage) => new DelayingAuditSink(usage) });
  const { clock, registry, usage, performance, sink, keyStore, metrics } = bench;
  const reloads = new ReloadHistory();
  const readiness = new ReadinessService(registry, sink, { run: () => null });
  const service = new MonitoringService({
    ...{ metrics, registry, usage, performance, sink, reloads, readiness, keyStore, clock, namesAccounts: true },
    isWatched: true,
    collectProcess: async () => QUIET_PROCESS,
  });
  const state = async () => {
    await service.page('text', () => QUIET.traffic);
    return metrics.pages.at(-1)?.state ?? expect.fail('No page was asked for.');
  };
  return { bench, readiness, state };
}

describe('MonitoringService', () => {
  it('reports pending and durable records, the usage of accounts, and why it is not ready', async () => {
    const { bench, readiness, state } = setUp();
    expect((await state()).core).to.include({ isHealthy: false, isReady: false });
    serveMain(bench);
    expect((await state()).core).to.include({ isHealthy: true, isReady: true });
    const signing: Promise<unknown>[] = [];
    for (let count = 0; count < 2; count += 1) {
      signing.push(bench.signing.sign(REQUEST, CONTEXT));
      await eventLoopTurn();
    }
    expect((await state()).core.audit).to.deep.equal({ isAvailable: true, head: { seq: 0, hash: null }, queued: 2 });
    bench.sink.succeed();
    bench.sink.fail();
    await Promise.all(signing);
    const { core } = await state();
    expect(core.audit).to.deep.equal({ isAvailable: true, head: { seq: 1, hash: null }, queued: 0 });
    expect([core.recorded, core.unrecorded]).to.deep.equal([{ totalSigns: 1, errorCount: 0 }, 1]);
    const usage = { platformId: 'alpha', accountId: 'main', totalSigns: 1, errorCount: 0 };
    expect(core.accounts?.slice(0, 10)).to.deep.equal([usage]);
    readiness.drain();
    await bench.sink.close();
    const stopped = (await state()).core;
    expect(stopped.isHealthy).to.equal(false);
    expect(stopped.readiness).to.deep.include({ draining: false, audit: false });
  });
});

describe('AccountCounts', () => {
  it('counts once per generation, and yields', async () => {
    const clock = new BusyClock(2);
    const counts = new AccountCounts(clock);
    const sample = createWorkbench().enrol({}, samplePrivateKey(1));
    const registryOf = (length: number) =>
      new Registry(
        [samplePlatform(), samplePlatform({ platformId: 'empty' })],
        Array.from({ length }, (_, index) => ({ ...sample, accountId: `account-${index}` })),
      );
    const registry = registryOf(9);
    const [first, second] = await Promise.all([counts.of(registry), counts.of(registry)]);
    expect(second).to.equal(first);
    expect(first?.map(({ platformId, status, count }) => [platformId, status, count])).to.deep.equal([
      ['alpha', 'active', 9],
      ['alpha', 'disabled', 0],
      ['empty', 'active', 0],
      ['empty', 'disabled', 0],
    ]);
    expect(clock.turns).to.be.at.least(5);
    const { turns } = clock;
    expect(await counts.of(registry)).to.equal(first);
    expect(clock.turns).to.equal(turns);
    expect((await counts.of(registryOf(1)))[0]?.count).to.equal(1);
  });
});
