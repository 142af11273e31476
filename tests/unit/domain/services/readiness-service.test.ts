import { expect } from 'chai';
import { Registry } from '../../../../src/domain/model/registry.ts';
import { ReadinessService } from '../../../../src/domain/services/readiness-service.ts';
import { RegistryHolder } from '../../../../src/domain/services/registry-holder.ts';
import { samplePlatform, samplePrivateKey } from '../../../doubles/credential-builder.ts';
import { MemoryAuditSink } from '../../../doubles/memory-audit-sink.ts';
import { createWorkbench } from './signing-workbench.ts';

const LOADED_AT = '2026-11-20T08:49:00.000Z';

/** A ready service, and its variable parts. */
function setUp() {
  const account = createWorkbench().enrol({}, samplePrivateKey(1));
  const registry = new RegistryHolder();
  const serve = (accounts: readonly (typeof account)[]) =>
    registry.replace(new Registry([samplePlatform()], accounts), LOADED_AT);
  serve([account]);
  const issues: { audit: string | null; selfTest: string | null } = { audit: null, selfTest: null };
  const sink = Object.assign(new MemoryAuditSink(), { probe: async () => issues.audit });
  const service = new ReadinessService(registry, sink, { run: () => issues.selfTest });
  return { service, serve, account, faults: issues };
}

describe('ReadinessService', () => {
  it('is ready if keys exist, records are writable, signatures are valid and it is not draining', async () => {
    expect(await setUp().service.report()).to.deep.equal({
      ready: true,
      checks: {
        keys: { ok: true, detail: 'accounts: 1' },
        audit: { ok: true },
        selfTest: { ok: true },
        draining: { ok: true },
      },
      facts: {},
    });
  });

  it('depends on authentication only if it is required, and reports why it is unavailable', async () => {
    const { service } = setUp();
    let issue: string | null = null;
    service.requireAuthentication(async () => issue);
    expect((await service.report()).checks.authentication).to.deep.equal({ ok: true });
    issue = 'Redis: unreachable.';
    const { ready, checks } = await service.report();
    expect(ready).to.equal(false);
    expect(checks.authentication).to.deep.equal({ ok: false, detail: 'Redis: unreachable.' });
  });

  it('is not ready before a configuration is loaded', async () => {
    const service = new ReadinessService(new RegistryHolder(), new MemoryAuditSink(), { run: () => null });
    const { ready, checks } = await service.report();
    expect(ready).to.equal(false);
    expect(checks.keys).to.deep.equal({ ok: false, detail: 'No configuration is loaded.' });
  });

  it('is not ready without accounts, and ready once one exists', async () => {
    const { service, serve, account } = setUp();
    serve([]);
    const { ready, checks } = await service.report();
    expect(ready).to.equal(false);
    expect(checks.keys.ok).to.equal(false);
    expect(checks.keys.detail).to.include('has no account');
    serve([account]);
    expect((await service.report()).ready).to.equal(true);
  });

  for (const check of ['audit', 'selfTest'] as const) {
    it(`is not ready while the check ${check} fails, reports why, and is ready again after`, async () => {
      const { service, faults: issues } = setUp();
      issues[check] = 'the reason';
      const report = await service.report();
      expect(report.ready).to.equal(false);
      expect(report.checks[check]).to.deep.equal({ ok: false, detail: 'the reason' });
      expect(Object.values(report.checks).filter(({ ok }) => !ok)).to.have.length(1);
      issues[check] = null;
      expect((await service.report()).ready).to.equal(true);
    });
  }

  it('is not ready as soon as draining starts', async () => {
    const { service } = setUp();
    service.drain();
    const { ready, checks } = await service.report();
    expect(ready).to.equal(false);
    expect(checks.draining.ok).to.equal(false);
    expect(checks.draining.detail).to.include('shutting down');
  });

  it('reports current facts, without affecting readiness', async () => {
    const { service } = setUp();
    let outcome = 'success';
    service.show('config', () => ({ outcome }));
    service.show('tls', () => null);
    expect((await service.report()).facts).to.deep.equal({ config: { outcome: 'success' }, tls: null });
    outcome = 'failed';
    const { ready, facts } = await service.report();
    expect(facts).to.deep.equal({ config: { outcome: 'failed' }, tls: null });
    expect(ready).to.equal(true);
  });
});
