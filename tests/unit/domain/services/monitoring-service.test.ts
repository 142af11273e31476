import { setImmediate as eventLoopTurn } from 'node:timers/promises';
import { expect } from 'chai';
import type { Account } from '../../../../src/domain/model/account.ts';
import { Registry } from '../../../../src/domain/model/registry.ts';
import { AccountCounts, MonitoringService } from '../../../../src/domain/services/monitoring-service.ts';
import { ReadinessService } from '../../../../src/domain/services/readiness-service.ts';
import { ReloadHistory } from '../../../../src/domain/services/reload-service.ts';
import { BusyClock } from '../../../doubles/busy-clock.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { DelayingAuditSink } from '../../../doubles/delaying-audit-sink.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { QUIET_PROCESS, quietState } from '../../../doubles/quiet-state.ts';
import { CONTEXT, createWorkbench, REQUEST, SigningWorkbench } from './signing-workbench.ts';

const QUIET = quietState();

function setUp({ namesAccounts = false } = {}) {
  const bench = new SigningWorkbench({ makeSink: (usage) => new DelayingAuditSink(usage) });
  const { clock, registry, usage, performance, sink, keyStore, metrics } = bench;
  const reloads = new ReloadHistory();
  const readiness = new ReadinessService(registry, sink, { run: () => null });
  const service = new MonitoringService({
    ...{ metrics, registry, usage, performance, sink, reloads, readiness, keyStore, clock, namesAccounts },
    isWatched: true,
    collectProcess: async () => QUIET_PROCESS,
  });
  const accounts = [bench.enrol({}, samplePrivateKey(1)), bench.enrol({ accountId: 'idle' }, samplePrivateKey(2))];
  const serve = () => bench.serve([samplePlatform()], accounts);
  const state = async () => {
    await service.page('text', () => QUIET.traffic);
    return metrics.pages.at(-1)?.state ?? expect.fail('No page was asked for.');
  };
  return { bench, reloads, readiness, serve, state };
}

describe('MonitoringService', () => {
  it('reports the state of a service that just started', async () => {
    const { serve, state, reloads } = setUp();
    serve();
    const at = '2026-11-20T08:49:00.000Z';
    reloads.note({ at, trigger: 'start', outcome: 'success', issues: [], isTransient: false });
    expect(await state()).to.deep.equal({
      core: {
        isHealthy: true,
        isReady: true,
        readiness: { keys: true, audit: true, selfTest: true, draining: true },
        audit: { isAvailable: true, head: { seq: 0, hash: null }, queued: 0 },
        configuration: {
          ...{ generation: 1, digest: null, isWatched: true, permissionEntries: null },
          loadedAt: Date.parse(at),
          lastReload: { at, trigger: 'start', outcome: 'success', issues: [], isTransient: false },
          reloads: { succeeded: 1, failed: 0 },
          accounts: [
            { platformId: 'alpha', status: 'active', count: 2 },
            { platformId: 'alpha', status: 'disabled', count: 0 },
          ],
        },
        recorded: { totalSigns: 0, errorCount: 0 },
        usage: { mode: 'alone' },
        unrecorded: 0,
        accounts: null,
        keys: null,
      },
      process: QUIET_PROCESS,
      traffic: QUIET.traffic,
    });
  });

  it('reports pending and durable records', async () => {
    const { bench, serve, state } = setUp();
    serve();
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
  });

  it('reports why it is not ready, and that it cannot sign', async () => {
    const { bench, readiness, state } = setUp();
    const { core } = await state();
    expect([core.isHealthy, core.isReady, core.readiness['keys']]).to.deep.equal([false, false, false]);
    expect(core.configuration).to.deep.include({ generation: 0, loadedAt: null, lastReload: null, accounts: [] });
    bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
    readiness.drain();
    await bench.sink.close();
    const { isHealthy, readiness: checks } = (await state()).core;
    expect(isHealthy).to.equal(false);
    expect(checks).to.deep.include({ draining: false, audit: false });
  });

  it('lists accounts if requested, with their current usage', async () => {
    const { bench, serve, state } = setUp({ namesAccounts: true });
    serve();
    const { accounts } = (await state()).core;
    expect(accounts?.length).to.equal(2);
    const signing = bench.signing.sign(REQUEST, CONTEXT);
    await eventLoopTurn();
    bench.sink.succeed();
    await signing;
    expect(accounts?.slice(0, 10)).to.deep.equal([
      { platformId: 'alpha', accountId: 'main', totalSigns: 1, errorCount: 0 },
      { platformId: 'alpha', accountId: 'idle', totalSigns: 0, errorCount: 0 },
    ]);
    expect(accounts?.slice(1, 2).map(({ accountId }) => accountId)).to.deep.equal(['idle']);
  });
});

const SAMPLE = createWorkbench().enrol({}, samplePrivateKey(1));
const PLATFORMS = ['alpha', 'beta', 'empty'].map((platformId) => ({ ...samplePlatform(), platformId }));

function registryOf(...accounts: readonly Partial<Account>[]): Registry {
  return new Registry(
    PLATFORMS,
    accounts.map((fields, index) => ({ ...SAMPLE, accountId: `account-${index}`, ...fields })),
  );
}

describe('AccountCounts', () => {
  it('counts the accounts of each platform by status, including zero', async () => {
    const registry = registryOf({}, { status: 'disabled' }, {}, { platformId: 'beta' });
    expect(await new AccountCounts(new FixedClock()).of(registry)).to.deep.equal([
      { platformId: 'alpha', status: 'active', count: 2 },
      { platformId: 'alpha', status: 'disabled', count: 1 },
      { platformId: 'beta', status: 'active', count: 1 },
      { platformId: 'beta', status: 'disabled', count: 0 },
      { platformId: 'empty', status: 'active', count: 0 },
      { platformId: 'empty', status: 'disabled', count: 0 },
    ]);
  });

  it('counts once per generation', async () => {
    const clock = new BusyClock(2);
    const counts = new AccountCounts(clock);
    const registry = registryOf({}, {}, {});
    const [first, second] = await Promise.all([counts.of(registry), counts.of(registry)]);
    expect(second).to.equal(first);
    const { turns } = clock;
    expect(await counts.of(registry)).to.equal(first);
    expect(clock.turns).to.equal(turns);
    expect((await counts.of(registryOf({})))[0]?.count).to.equal(1);
  });

  it('yields while counting many accounts', async () => {
    const clock = new BusyClock(0.25);
    await new AccountCounts(clock).of(registryOf(...Array.from({ length: 40 }, () => ({}))));
    expect(clock.turns).to.be.at.least(5);
  });
});
