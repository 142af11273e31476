import { expect } from 'chai';
import request from 'supertest';
import { SERVICE_VERSION } from '../../../src/app/service-version.ts';
import { CredentialLoadError } from '../../../src/domain/model/errors.ts';
import type { JsonObject } from '../../../src/domain/model/json.ts';
import { FailingAuditSink } from '../../doubles/failing-audit-sink.ts';
import { expectData, expectIssues } from '../../harness/envelope-checks.ts';
import { CALLER, identify } from '../../harness/named-callers.ts';
import { CHECKPOINT_COPY, STARTED_AT, startService } from '../../harness/running-service.ts';
import { DATA_A, SAMPLE_ACCOUNTS } from '../../harness/sample-accounts.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';

describe('GET /api/v1/status', () => {
  const service = useNewService();

  const status = async () => expectData(await request(service.server).get('/api/v1/status'));

  it('returns exactly the fields of a status report', async () => {
    const verbatim = SAMPLE_ACCOUNTS.filter(({ platformId }) => platformId === 'verbatim').length;
    expect(await status()).to.deep.equal({
      status: 'healthy',
      uptime: '0h 0m 0s',
      instance: { id: 'test-instance', version: SERVICE_VERSION },
      config: {
        path: service.credentials.location,
        lastLoaded: STARTED_AT,
        isWatching: false,
        lastReload: null,
        reloads: { succeeded: 0, failed: 0 },
      },
      accounts: {
        total: SAMPLE_ACCOUNTS.length,
        byPlatform: { alpha: 2, beta: 1, gamma: 1, delta: 1, verbatim, empty: 0 },
      },
      performance: { avgSigningTime: '0.00ms', totalSigns: 0, errorRate: 0 },
      load: { inFlight: 0, queued: 0, heldBytes: 0, refused: 0, rateLimited: 0 },
      rateLimits: null,
      tls: null,
      forwardedCertificates: null,
      authentication: null,
      expiryWarningDays: 14,
      usage: { shared: false, state: 'current', behindSince: null, reason: null, replicas: 1 },
      audit: {
        path: '/var/lib/signing-service/audit.jsonl',
        available: true,
        head: { seq: 0, hash: null },
        checkpoint: null,
        disk: { freeBytes: 50_000_000_000, state: 'ok', lowBytes: 1_073_741_824, criticalBytes: 16_777_216 },
        checkpointCopies: [CHECKPOINT_COPY],
      },
    });
  });

  it('shows since when and why shared counters are behind, and the number of replicas', async () => {
    const state = 'behind' as const;
    const sharing = { shared: true, state, behindSince: STARTED_AT, reason: 'Redis: it is away', replicas: 3 };
    const sum = async () => ({ totals: { totalSigns: 0, errorCount: 0 }, usages: [] });
    await restartAs(service, startService({ replace: () => ({ usage: { sharing, sum } }) }));
    expect((await status())['usage']).to.deep.equal(sharing);
  });

  it('shows the latest reload and its issues', async () => {
    service.credentials.failWith(new CredentialLoadError('file', [{ path: 'accounts[0]', message: 'is wrong' }]));
    await request(service.server).post('/api/v1/config/reload');
    const { config, status: health } = (await status()) as unknown as { config: JsonObject; status: string };
    expect(config['lastReload']).to.deep.equal({
      at: STARTED_AT,
      trigger: 'request',
      outcome: 'failed',
      issues: [{ path: 'accounts[0]', message: 'is wrong' }],
    });
    expect(config['reloads']).to.deep.equal({ succeeded: 0, failed: 1 });
    expect(health).to.equal('healthy');
  });

  it('formats the uptime as hours, minutes and seconds', async () => {
    service.clock.advance(26 * 3_600_000 + 3 * 60_000 + 4_999);
    expect((await status())['uptime']).to.equal('26h 3m 4s');
  });

  it('reports the number of signatures and the fraction of failed attempts', async () => {
    const sign = (accountId: string) =>
      request(service.server).post('/api/v1/sign').send({ platformId: 'alpha', accountId, data: DATA_A });
    for (const accountId of ['main', 'main', 'main', 'nobody']) await sign(accountId);
    const { performance } = (await status()) as unknown as { performance: object };
    expect(performance).to.deep.equal({ avgSigningTime: '0.00ms', totalSigns: 3, errorRate: 0.25 });
  });

  it('counts an attempt without a record as failed, and reports degraded meanwhile', async () => {
    await restartAs(service, startService({ adapters: { sink: new FailingAuditSink() } }));
    const body = { platformId: 'alpha', accountId: 'main', data: DATA_A };
    await request(service.server).post('/api/v1/sign').send(body);
    const { performance, status: state } = await status();
    expect(performance).to.deep.equal({ avgSigningTime: '0.00ms', totalSigns: 0, errorRate: 1 });
    expect(state).to.equal('degraded');
  });

  it('formats the mean signing time in milliseconds', async () => {
    await restartAs(
      service,
      startService({
        replace: () => ({ performance: { avgSigningTimeMs: 0.41666, unrecorded: 0 } }),
      }),
    );
    const { performance } = (await status()) as unknown as { performance: { avgSigningTime: string } };
    expect(performance.avgSigningTime).to.equal('0.42ms');
  });

  it('adds recent activity on request', async () => {
    const sign = (accountId: string, id: string) =>
      request(service.server)
        .post('/api/v1/sign')
        .set('X-Request-Id', id)
        .send({ platformId: 'alpha', accountId, data: DATA_A });
    await sign('main', 'first');
    await sign('nobody', 'second');
    service.clock.advance(5000);
    const { activity } = expectData(await request(service.server).get('/api/v1/status?include=activity'));
    const record = { time: STARTED_AT, event: 'sign', platformId: 'alpha', principal: null, policy: null };
    const refusal = { count: 1, lastCode: 'ACCOUNT_NOT_FOUND', lastAt: STARTED_AT };
    expect(activity).to.deep.equal({
      intervalSeconds: 5,
      signatures: [1],
      refusals: [1],
      refusedBy: {
        accounts: [{ platformId: 'alpha', accountId: 'nobody', ...refusal }],
        callers: [{ principal: null, ...refusal }],
        policies: [],
        others: { accounts: 0, callers: 0, policies: 0 },
      },
      records: [
        {
          ...record,
          ...{ outcome: 'refused', errorCode: 'ACCOUNT_NOT_FOUND', accountId: 'nobody', correlationId: 'second' },
        },
        { ...record, outcome: 'success', errorCode: null, accountId: 'main', correlationId: 'first' },
      ],
      lastLoad: null,
    });
    expect(await status()).not.to.have.property('activity');
  });

  it('adds refusals and records of accounts that the caller may read only', async () => {
    const permissions = [
      { principals: ['watcher', 'operator'], operations: ['status' as const] },
      { principals: ['operator'], operations: ['read' as const], accounts: ['*/*'] },
    ];
    await restartAs(service, startService({ replace: () => ({ callerChecks: [identify] }), permissions }));
    for (const accountId of ['main', 'invented']) {
      await request(service.server).post('/api/v1/sign').send({ platformId: 'alpha', accountId, data: DATA_A });
    }
    const accounts = async (principal: string) => {
      const response = await request(service.server).get('/api/v1/status?include=activity').set(CALLER, principal);
      const { refusedBy, records } = response.body.data.activity;
      const names = (entries: readonly { readonly accountId: string }[]) => entries.map(({ accountId }) => accountId);
      return [names(refusedBy.accounts), names(records), refusedBy.others.accounts, refusedBy.callers[0].count];
    };
    expect(await accounts('operator')).to.deep.equal([['main', 'invented'], ['invented', 'main'], 0, 2]);
    expect(await accounts('watcher')).to.deep.equal([[], [], 2, 2]);
  });

  it('adds what the last successful load changed', async () => {
    const response = await request(service.server).post('/api/v1/config/reload');
    const reloaded = expectData(response);
    service.credentials.failWith(new CredentialLoadError('file', [{ path: 'accounts[0]', message: 'is wrong' }]));
    await request(service.server).post('/api/v1/config/reload');
    const { activity } = expectData(
      await request(service.server).get('/api/v1/status?include=activity'),
    ) as unknown as {
      activity: JsonObject;
    };
    expect(activity['lastLoad']).to.deep.equal(reloaded);
  });

  it('rejects anything else to include', async () => {
    for (const value of ['', 'payload', 'Activity', '<script>']) {
      const response = await request(service.server).get('/api/v1/status').query({ include: value });
      expect(expectIssues(response)).to.deep.equal(['include']);
    }
  });
});
