import { expect } from 'chai';
import request from 'supertest';
import type { RequestCheck } from '../../../src/adapters/http/middleware/entry-checks.ts';
import { refuseRequest } from '../../../src/adapters/http/refusals.ts';
import type { Readiness } from '../../../src/domain/services/readiness-service.ts';
import { FailingAuditSink } from '../../doubles/failing-audit-sink.ts';
import { ROOMY_DISK } from '../../doubles/roomy-disk.ts';
import { startAuthenticatedService } from '../../harness/authenticated-service.ts';
import { expectData, expectError } from '../../harness/envelope-checks.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import { SAMPLE_ACCOUNTS } from '../../harness/sample-accounts.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';

const READY = {
  status: 'ready',
  checks: {
    keys: { ok: true, detail: `accounts: ${SAMPLE_ACCOUNTS.length}` },
    audit: { ok: true },
    selfTest: { ok: true },
    draining: { ok: true },
  },
  facts: { tls: null, config: null, audit: { disk: ROOMY_DISK } },
};

const letNobodyIn: RequestCheck = (_request, response) => {
  response.setHeader('WWW-Authenticate', 'TLS-Client-Certificate');
  return refuseRequest('ClientCertificateNotTaken', { reason: 'CLIENT_CERTIFICATE_REQUIRED' });
};

describe('Health', () => {
  const service = useNewService();

  const get = (path: string) => request(service.server).get(path);

  it('GET /healthz reports liveness, GET /readyz readiness and its checks', async () => {
    expect(expectData(await get('/healthz'))).to.deep.equal({ status: 'alive' });
    expect(expectData(await get('/readyz'))).to.deep.equal(READY);
  });

  it('GET /readyz responds 503 with the checks, GET /healthz 200, if records cannot be written', async () => {
    await restartAs(service, startService({ adapters: { sink: new FailingAuditSink() } }));
    const { details } = expectError(await get('/readyz'), 503, 'NOT_READY');
    expect(details).to.deep.equal({
      checks: { ...READY.checks, audit: { ok: false, detail: 'The audit sink fails on purpose.' } },
      facts: { tls: null, config: null, audit: { disk: ROOMY_DISK } },
    });
    expectData(await get('/healthz'));
  });

  describe('with authentication', () => {
    type Start = (readiness: object) => Promise<RunningService>;
    const starts: { readonly [how: string]: Start } = {
      'by client certificates': (readiness) =>
        startService({ replace: () => ({ readiness, callerChecks: [letNobodyIn] }) }),
      'by messages': (readiness) => startAuthenticatedService({ replace: () => ({ readiness }) }),
    };
    const shown = { keys: { ok: true }, audit: { ok: true }, selfTest: { ok: true }, draining: { ok: true } };

    async function restart(start: Start, checks: Readiness['checks']): Promise<void> {
      const ready = Object.values(checks).every(({ ok }) => ok);
      await restartAs(service, start({ report: async () => ({ ready, checks }) }));
    }

    for (const [how, start] of Object.entries(starts)) {
      it(`GET /readyz ${how} shows only check results, no keys, files, certificates or tokens`, async () => {
        await restart(start, READY.checks);
        expect(expectData(await get('/readyz'))).to.deep.equal({ status: 'ready', checks: shown });
        await restart(start, { ...READY.checks, audit: { ok: false, detail: 'ENOSPC /var/audit.jsonl' } });
        const { details } = expectError(await get('/readyz'), 503, 'NOT_READY');
        expect(details).to.deep.equal({ checks: { ...shown, audit: { ok: false } } });
        await get('/readyz');
        const logged = service.log.events.filter(({ message }) => message === 'The service is not ready.');
        expect(logged.map((event) => event.facts)).to.deep.equal([
          { count: 1, audit: { ok: false, detail: 'ENOSPC /var/audit.jsonl' } },
        ]);
        expectError(await get('/api/v1/status'), 401, 'UNAUTHENTICATED');
      });
    }

    it('GET /readyz shows everything if anonymous callers may read the status', async () => {
      await restart(
        (readiness) => startAuthenticatedService({ mode: 'optional', replace: () => ({ readiness }) }),
        READY.checks,
      );
      const shown = expectData<typeof READY>(await get('/readyz'));
      expect(shown.checks).to.deep.equal(READY.checks);
      expect(shown.facts).to.have.all.keys('tls', 'authentication', 'config', 'audit');
    });
  });

  it('is logged only if it fails, and never on record', async () => {
    await get('/healthz');
    await get('/readyz');
    service.keyStore.purge();
    service.clock.advance(1000);
    expect((await get('/readyz')).text).to.include('"selfTest":{"ok":false');
    await request(service.server).post('/healthz');
    const routes = () => service.log.events.map(({ facts }) => [facts['route'], facts['status']]);
    while (routes().length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(routes()).to.deep.equal([
      ['/readyz', 503],
      ['/healthz', 405],
    ]);
    expect(service.records.entries).to.deep.equal([]);
  });
});
