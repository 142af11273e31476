import { expect } from 'chai';
import { ReloadHistory } from '../../../../src/domain/services/reload-service.ts';
import { StatusService } from '../../../../src/domain/services/status-service.ts';
import { ROOMY_DISK } from '../../../doubles/quiet-state.ts';
import { createWorkbench, serveMain } from './signing-workbench.ts';

describe('StatusService', () => {
  it('is degraded without an account, and healthy with one', () => {
    const bench = createWorkbench();
    const { registry, usage, performance, sink, clock } = bench;
    const status = new StatusService({
      ...{ registry, usage, performance, sink, clock, reloads: new ReloadHistory() },
      config: { path: 'config/credentials.json', isWatching: true },
      instance: { id: 'instance-1', version: '1.2.3' },
      auditFile: { path: 'var/audit/audit.jsonl', disk: () => ROOMY_DISK, checkpointCopies: () => [] },
    });
    expect(status.report().status).to.equal('degraded');
    serveMain(bench);
    expect(status.report().status).to.equal('healthy');
  });
});
