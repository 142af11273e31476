import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import request from 'supertest';
import { CredentialLoadError } from '../../../src/domain/model/errors.ts';
import type { PermissionEntry } from '../../../src/domain/model/permissions.ts';
import { expectData, expectError, expectIssues } from '../../harness/envelope-checks.ts';
import { CALLER, identify } from '../../harness/named-callers.ts';
import { closed, exchange, openSocket, readResponse } from '../../harness/raw-client.ts';
import { STARTED_AT, startService } from '../../harness/running-service.ts';
import { DATA_A, SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../../harness/sample-accounts.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';

const NO_CHANGES = { added: [], removed: [], changed: [], more: { added: 0, removed: 0, changed: 0 } };

describe('POST /api/v1/config/reload', () => {
  const service = useNewService();

  const head = 'POST /api/v1/config/reload HTTP/1.1\r\nHost: localhost\r\n';
  const reload = () => request(service.server).post('/api/v1/config/reload');
  const sign = (accountId: string) =>
    request(service.server).post('/api/v1/sign').send({ platformId: 'alpha', accountId, data: DATA_A });

  /** Of a line for each account in configured order, from what the service says of each. */
  const keysDigest = async () => {
    const digest = createHash('sha256');
    for (const { platformId, accountId } of SAMPLE_ACCOUNTS) {
      const { body } = await request(service.server).get(`/api/v1/accounts/${platformId}/${accountId}`);
      digest.update(`${platformId}/${accountId} ${body.data.keyId}\n`);
    }
    return `sha256:${digest.digest('hex')}`;
  };

  it('gives the metrics the names that the new configuration has', async () => {
    service.credentials.contain({
      platforms: SAMPLE_PLATFORMS.filter(({ platformId }) => platformId === 'alpha'),
      accounts: SAMPLE_ACCOUNTS.filter(({ platformId }) => platformId === 'alpha'),
      permissions: [{ principals: ['anonymous'], operations: ['*'], accounts: ['*/*'] }],
      policies: [{ name: 'orders', accounts: ['alpha/*'], effect: 'allow', when: 'true' }],
    });
    expectData(await reload());
    const { platformIds, permissions, policies } = service.metrics.configuration ?? {};
    expect([platformIds, policies?.entries.map(({ name }) => name)]).to.deep.equal([['alpha'], ['orders']]);
    expect(permissions?.entries?.flatMap(({ principals }) => principals)).to.deep.equal(['anonymous']);
  });

  it('wipes a replaced key once its overlap is over, without another request', async () => {
    const [main, ...others] = SAMPLE_ACCOUNTS;
    if (main === undefined) throw new Error('The sample has no account.');
    const renewed = { ...main, privateKey: new Uint8Array(32).fill(7), overlapSeconds: 60 };
    service.credentials.contain({ platforms: SAMPLE_PLATFORMS, accounts: [renewed, ...others] });
    expectData(await reload());
    expect(service.keyStore.protection.keys).to.equal(SAMPLE_ACCOUNTS.length + 1);
    service.clock.advance(60_000);
    const { length } = SAMPLE_ACCOUNTS;
    for (let waits = 0; service.keyStore.protection.keys > length && waits < 100; waits += 1) await sleep(50);
    expect(service.keyStore.protection.keys).to.equal(length);
  });

  it('responds with the specified fields and the configuration digest', async () => {
    service.clock.advance(1000);
    expect(expectData(await reload())).to.deep.equal({
      reloadedAt: new Date(Date.parse(STARTED_AT) + 1000).toISOString(),
      changes: { added: 0, updated: 0, removed: 0 },
      accountCount: SAMPLE_ACCOUNTS.length,
      platformCount: SAMPLE_PLATFORMS.length,
      accounts: {
        ...{ added: [], removed: [], rekeyed: [], disabled: [], enabled: [], changed: [] },
        more: { added: 0, removed: 0, rekeyed: 0, disabled: 0, enabled: 0, changed: 0 },
      },
      keys: { added: [], replaced: [], removed: [], more: { added: 0, replaced: 0, removed: 0 } },
      keysDigest: await keysDigest(),
      platforms: {
        ...{ ...NO_CHANGES, changedFields: [] },
        more: { ...NO_CHANGES.more, changedFields: 0 },
      },
      policies: NO_CHANGES,
      budgets: NO_CHANGES,
      permissions: { added: 0, removed: 0, principals: [], more: { principals: 0 } },
      previous: {
        configurationDigest: await service.credentials.digest(),
        ...{ permissionsDigest: null, policiesDigest: null, budgetsDigest: null },
        masterKeyIds: [],
      },
      configurationDigest: await service.credentials.digest(),
      permissionCount: null,
      permissionsDigest: null,
      policyCount: 0,
      policiesDigest: null,
      budgetCount: 0,
      budgetsDigest: null,
      masterKeyIds: [],
    });
  });

  it('serves the new accounts at once, and reports its changes in response, audit record and log', async () => {
    const [main, idle, beta, gamma, ...others] = SAMPLE_ACCOUNTS;
    if (!main || !idle || !beta || !gamma) throw new Error('The sample has too few accounts.');
    const publicKeyOf = async (platformId: string, accountId: string) =>
      expectData(await request(service.server).get(`/api/v1/accounts/${platformId}/${accountId}`))['publicKey'];
    const previousPublicKey = await publicKeyOf('beta', 'main');
    const permissions: readonly PermissionEntry[] = [
      { principals: ['anonymous'], operations: ['*'], accounts: ['*/*'] },
    ];
    service.credentials.contain({
      platforms: SAMPLE_PLATFORMS.map((platform) =>
        platform.platformId === 'gamma' ? { ...platform, encoding: 'hex' } : platform,
      ),
      accounts: [
        { ...idle, status: 'active' },
        { ...beta, privateKey: new Uint8Array(32).fill(7) },
        gamma,
        ...others.map((account) =>
          account.platformId === 'delta' ? { ...account, status: 'disabled' as const } : account,
        ),
        { ...main, accountId: 'fresh' },
      ],
      permissions,
    });
    const data = expectData(await reload());
    const publicKey = await publicKeyOf('beta', 'main');
    // idle, beta/main, delta/main, and gamma/main by its platform.
    expect(data['changes']).to.deep.equal({ added: 1, updated: 4, removed: 1 });
    expect(data['accounts']).to.deep.equal({
      added: ['alpha/fresh'],
      removed: ['alpha/main'],
      rekeyed: [{ account: 'beta/main', previousPublicKey, publicKey }],
      disabled: ['delta/main'],
      enabled: ['alpha/idle'],
      changed: [{ account: 'gamma/main', fields: ['platform'] }],
      more: { added: 0, removed: 0, rekeyed: 0, disabled: 0, enabled: 0, changed: 0 },
    });
    expect(data['platforms']).to.deep.include({ added: [], removed: [], changed: ['gamma'] });
    expect(data['platforms']).to.have.deep.property('changedFields', [{ platform: 'gamma', fields: ['encoding'] }]);
    const digest = createHash('sha256').update('[{"accounts":["*/*"],"operations":["*"],"principals":["anonymous"]}]');
    expect(data['permissions']).to.deep.equal({
      added: 1,
      removed: 0,
      principals: ['anonymous'],
      more: { principals: 0 },
    });
    expect(data['previous']).to.include({ permissionsDigest: null });
    expect(data).to.include({ permissionCount: 1, permissionsDigest: `sha256:${digest.digest('hex')}` });
    expect(service.records.entries.at(-1)?.data).to.deep.equal({ trigger: 'request', ...data });
    const logged = service.log.events.findLast(({ message }) => message === 'Credentials loaded.');
    expect(logged?.facts).to.deep.equal({ trigger: 'request', ...data });
    for (const accountId of ['fresh', 'idle']) expectData(await sign(accountId));
    expectError(await sign('main'), 404, 'ACCOUNT_NOT_FOUND');
  });

  it('responds 500 CONFIG_LOAD_FAILED with the issues, and keeps the old configuration', async () => {
    const issues = [{ path: 'accounts[3].alias', message: 'must be 1 to 128 printable characters' }];
    service.credentials.failWith(new CredentialLoadError(service.credentials.location, issues));
    const { details } = expectError(await reload(), 500, 'CONFIG_LOAD_FAILED');
    expect(details).to.deep.equal({ path: service.credentials.location, issues });
    expectData(await sign('main'));
  });

  it('keeps signing during a reload', async () => {
    const release = service.credentials.hold();
    const reloading = reload().then((response) => response);
    while (service.credentials.loads < 2) await new Promise((resolve) => setImmediate(resolve));
    expectData(await sign('main'));
    release();
    expectData(await reloading);
    expectData(await sign('main'));
  });

  it('rejects a body over the limit with 413, announced or in chunks, and does not reload', async () => {
    const { loads } = service.credentials;
    const length = 1_048_577;
    const announced = await exchange(service.port, `${head}Content-Length: ${length}\r\n\r\n`);
    expectError(announced, 413, 'REQUEST_TOO_LARGE');
    const chunks = `${head}Transfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n${' '.repeat(length)}\r\n0\r\n\r\n`;
    expectError(await exchange(service.port, chunks), 413, 'REQUEST_TOO_LARGE');
    expect(service.credentials.loads).to.equal(loads);
    const small = `${head}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`;
    expectData(await exchange(service.port, small));
    expect(service.credentials.loads).to.equal(loads + 1);
  });

  for (const [name, headers, begun, rest] of [
    ['announced', 'Content-Length: 10\r\n', '12345', '67890'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n', '5\r\n12345\r\n', '0\r\n\r\n'],
  ] as const) {
    it(`responds 400 to an incomplete body, and does not reload: ${name}`, async () => {
      const { loads } = service.credentials;
      const socket = await openSocket(service.port);
      const response = readResponse(socket);
      socket.end(`${head}${headers}\r\n${begun}`);
      expect(expectIssues(await response)).to.deep.equal(['']);
      await closed(socket);
      while (service.records.entries.length === 0) await new Promise((resolve) => setImmediate(resolve));
      const records = service.records.entries.map(({ event, errorCode }) => [event, errorCode]);
      expect(records).to.deep.equal([['reload', 'INVALID_DATA_FORMAT']]);
      expect(service.credentials.loads).to.equal(loads);
    });

    it(`sends 100 Continue, and reloads once the body is complete: ${name}`, async () => {
      const { loads } = service.credentials;
      const socket = await openSocket(service.port);
      const requested = once(socket, 'data');
      socket.write(`${head}Expect: 100-continue\r\n${headers}\r\n`);
      expect(String((await requested)[0])).to.equal('HTTP/1.1 100 Continue\r\n\r\n');
      expect(service.credentials.loads).to.equal(loads);
      const response = readResponse(socket);
      socket.write(`${begun}${rest}`);
      expectData(await response);
      expect(service.credentials.loads).to.equal(loads + 1);
      socket.destroy();
    });
  }

  it('records every caller of a shared reload, the first with what it changed', async () => {
    await service.close();
    let calls = 0;
    await restartAs(
      service,
      startService({
        replace: ({ reloads }) => ({
          callerChecks: [identify],
          reloads: {
            reload: (trigger, context) => {
              calls += 1;
              return reloads.reload(trigger, context);
            },
          },
        }),
      }),
    );
    const call = async (principal: string) =>
      expectData(await reload().set(CALLER, principal).set('X-Request-Id', `of-${principal}`));
    const arrived = async (count: number) => {
      while (calls < count) await new Promise((resolve) => setImmediate(resolve));
    };
    const release = service.credentials.hold();
    const running = call('first');
    await arrived(1);
    const sharing = ['desk-1', 'desk-2', 'desk-3'].map(call);
    await arrived(4);
    release();
    const [result] = await Promise.all(sharing);
    await running;

    const [first, ...shared] = service.records.entries;
    expect(first).to.include({ principal: 'first', correlationId: 'of-first' });
    const callers = shared.map(({ principal, correlationId }) => `${principal} ${correlationId}`);
    expect(callers).to.have.members(['desk-1 of-desk-1', 'desk-2 of-desk-2', 'desk-3 of-desk-3']);
    for (const record of shared) expect(record).to.include({ event: 'reload', outcome: 'success' });
    const trigger = 'request';
    expect(shared.map(({ data }) => data)).to.deep.equal([{ trigger, ...result }, { trigger }, { trigger }]);
  });
});
