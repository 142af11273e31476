import { expect } from 'chai';
import { ReloadHistory } from '../../../../src/domain/services/reload-service.ts';
import { StatusService } from '../../../../src/domain/services/status-service.ts';
import { ROOMY_DISK } from '../../../doubles/quiet-state.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';
import { acceptedValue } from './outcome-expectations.ts';
import { CONTEXT, createWorkbench, serveMain } from './signing-workbench.ts';

function setUp() {
  const bench = createWorkbench();
  bench.clock.advance(5000);
  const { registry, usage, performance, sink, clock } = bench;
  const status = new StatusService({
    ...{ registry, usage, performance, sink, clock, reloads: new ReloadHistory() },
    config: { path: 'config/credentials.json', isWatching: true },
    instance: { id: 'instance-1', version: '1.2.3' },
    auditFile: { path: 'var/audit/audit.jsonl', disk: () => ROOMY_DISK, checkpointCopies: () => [] },
  });
  return { bench, report: () => acceptedValue(status.report(CONTEXT)) };
}

describe('StatusService', () => {
  it('measures the uptime from its start, and not by the wall clock', () => {
    const { bench, report } = setUp();
    bench.clock.advance(3_723_004);
    bench.clock.set('1999-01-01T00:00:00.000Z');
    expect(report().uptimeMs).to.equal(3_723_004);
  });

  it('counts recorded signatures and errors of earlier processes, but not their time', () => {
    const { bench, report } = setUp();
    for (const outcome of ['success', 'success', 'failed'] as const) bench.usage.count(sampleAuditEntry({ outcome }));
    expect(report().performance).to.deep.equal({ avgSigningTimeMs: 0, totalSigns: 2, errorRate: 1 / 3 });
  });

  it('is degraded without an account, and healthy with one', () => {
    const { bench, report } = setUp();
    expect(report().status).to.equal('degraded');
    serveMain(bench);
    expect(report().status).to.equal('healthy');
  });
});
