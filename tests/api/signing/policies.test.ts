import { expect } from 'chai';
import request from 'supertest';
import type { PolicyEntry } from '../../../src/domain/model/policy.ts';
import { expectData, expectError } from '../../harness/envelope-checks.ts';
import { startService } from '../../harness/running-service.ts';
import { DATA_A, DATA_D, SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../../harness/sample-accounts.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';

const POLICIES: readonly PolicyEntry[] = [
  {
    name: 'delta-orders',
    accounts: ['delta/*'],
    effect: 'allow',
    when: 'signed.method == "POST" && signed.path == "/api/v5/trade/order"',
  },
  { name: 'delta-small', accounts: ['delta/main'], effect: 'deny', when: 'decimal(signed.body.sz) > 10' },
  {
    name: 'delta-spot',
    accounts: ['delta/main'],
    effect: 'deny',
    when: 'signed.body.instId.endsWith("-SWAP")',
    mode: 'audit',
  },
];

const CONFIGURATION = { platforms: SAMPLE_PLATFORMS, accounts: SAMPLE_ACCOUNTS };

const ORDER = { platformId: 'delta', accountId: 'main', data: DATA_D };
const LARGE = { ...ORDER, data: { ...DATA_D, body: { ...DATA_D.body, sz: '10.5' } } };
const SWAP = { ...ORDER, data: { ...DATA_D, body: { ...DATA_D.body, instId: 'BTC-USDT-SWAP' } } };
const WITHDRAWAL = { ...ORDER, data: { ...DATA_D, path: '/api/v5/asset/withdrawal' } };

describe('Policies', () => {
  const service = useNewService(() => startService({ policies: POLICIES }));

  const post = (path: string, body: object) => request(service.server).post(path).send(body);

  it('refuse what a deny matches: 403 POLICY_DENIED with its name and no value', async () => {
    const response = await post('/api/v1/sign?include=payload', LARGE);
    expect(expectError(response, 403, 'POLICY_DENIED').details).to.deep.equal({
      ...{ platformId: 'delta', accountId: 'main', principal: 'anonymous' },
      reason: 'DENIED_BY_POLICY',
      policies: ['delta-small'],
    });
    expect(response.text).not.to.include('10.5');
    const record = service.records.entries.at(-1);
    expect(record).to.deep.include({
      event: 'sign',
      outcome: 'refused',
      errorCode: 'POLICY_DENIED',
      policy: 'delta-small',
    });
    expect(record?.payloadDigest).to.match(/^sha256:/);
    expect(record?.signatureDigest).to.equal(null);
  });

  it('refuse what no allow matches: 403 POLICY_DENIED with the names of the account', async () => {
    const { details } = expectError(await post('/api/v1/sign', WITHDRAWAL), 403, 'POLICY_DENIED');
    expect(details).to.deep.include({
      principal: 'anonymous',
      reason: 'NOT_ALLOWED_BY_POLICY',
      policies: ['delta-orders'],
    });
    expect(service.records.entries.at(-1)).to.deep.include({ policy: 'delta-orders', errorCode: 'POLICY_DENIED' });
  });

  it('in mode audit let requests pass, on record with what they would have denied', async () => {
    expectData(await post('/api/v1/sign', SWAP));
    expect(service.records.entries.at(-1)).to.deep.include({
      outcome: 'success',
      policy: 'delta-orders,audit:delta-spot',
    });
  });

  it('decide item by item in a batch', async () => {
    const items = [ORDER, LARGE, WITHDRAWAL, { ...ORDER, platformId: 'alpha', data: DATA_A }];
    const requests = items.map((item, index) => ({ requestId: String(index), ...item }));
    const { results, summary } = expectData<{ results: readonly { error?: { code: string } }[]; summary: object }>(
      await post('/api/v1/sign/batch', { requests }),
    );
    expect(results.map(({ error }) => error?.code ?? null)).to.deep.equal([
      null,
      'POLICY_DENIED',
      'POLICY_DENIED',
      null,
    ]);
    expect(summary).to.deep.equal({ total: 4, successful: 2, failed: 2 });
    const { entries } = service.records;
    expect(entries.slice(-4).map(({ policy }) => policy)).to.deep.equal([
      'delta-orders',
      'delta-small',
      'delta-orders',
      null,
    ]);
  });

  it('do not hold for verification', async () => {
    await restartAs(service, startService());
    const { signature } = expectData<{ signature: string }>(await post('/api/v1/sign', WITHDRAWAL));
    await restartAs(service, startService({ policies: POLICIES }));
    expect(expectData(await post('/api/v1/verify', { ...WITHDRAWAL, signature }))).to.deep.equal({ valid: true });
  });

  it('come after the permission, the status and the format, and before the audit check', async () => {
    expectError(await post('/api/v1/sign', { ...WITHDRAWAL, accountId: 'none' }), 404, 'ACCOUNT_NOT_FOUND');
    const malformed = { ...WITHDRAWAL, data: { ...WITHDRAWAL.data, method: 'NONE' } };
    expectError(await post('/api/v1/sign', malformed), 400, 'INVALID_DATA_FORMAT');
  });

  it('are counted by policy', async () => {
    for (const body of [ORDER, LARGE, WITHDRAWAL, SWAP]) await post('/api/v1/sign', body);
    const { entries = [] } = service.metrics.configuration?.policies ?? {};
    expect(entries.map(({ name }) => name)).to.deep.equal(['delta-orders', 'delta-small', 'delta-spot']);
    expect(service.metrics.attempts.map(({ decision }) => decision)).to.deep.equal([
      { isAllowed: true, effect: 'allow', policies: ['delta-orders'], wouldDeny: [] },
      { isAllowed: false, effect: 'deny', policies: ['delta-small'], wouldDeny: [] },
      { isAllowed: false, effect: 'allow', policies: ['delta-orders'], wouldDeny: [] },
      { isAllowed: true, effect: 'allow', policies: ['delta-orders'], wouldDeny: ['delta-spot'] },
    ]);
  });

  it('are in force with a reload, whose record has their number and digest', async () => {
    service.credentials.contain(CONFIGURATION);
    expectData(await post('/api/v1/config/reload', {}));
    expect(service.records.entries.at(-1)?.data).to.deep.include({ policyCount: 0, policiesDigest: null });
    expectData(await post('/api/v1/sign', WITHDRAWAL));
    service.credentials.contain({ ...CONFIGURATION, policies: POLICIES });
    expectData(await post('/api/v1/config/reload', {}));
    expect(service.records.entries.at(-1)?.data).to.have.property('policyCount', 3);
    expect(service.records.entries.at(-1)?.data?.['policiesDigest']).to.match(/^sha256:[0-9a-f]{64}$/);
    expectError(await post('/api/v1/sign', WITHDRAWAL), 403, 'POLICY_DENIED');
  });

  it('that cannot be decided are refused by a reload, which changes nothing', async () => {
    const [first] = POLICIES as readonly [PolicyEntry];
    service.credentials.contain({ ...CONFIGURATION, policies: [{ ...first, accounts: ['gamma/*'] }] });
    const { details } = expectError(await post('/api/v1/config/reload', {}), 500, 'CONFIG_LOAD_FAILED');
    expect(JSON.stringify(details)).to.include('policies[0].when').and.include('have no effect');
    expectError(await post('/api/v1/sign', WITHDRAWAL), 403, 'POLICY_DENIED');
  });
});
