import { expect } from 'chai';
import request from 'supertest';
import { sampleCredential } from '../../doubles/credential-builder.ts';
import { expectData, expectError } from '../../harness/envelope-checks.ts';
import { startService } from '../../harness/running-service.ts';
import { DATA_A, DATA_D } from '../../harness/sample-accounts.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';

const ORDER = { platformId: 'delta', accountId: 'main', data: DATA_D };
const WITHDRAWAL = { ...ORDER, data: { ...DATA_D, path: '/api/v5/asset/withdrawal' } };
const PAYLOAD =
  '2026-11-20T08:49:00.123ZPOST/api/v5/trade/order{"instId":"BTC-USDT","side":"buy","ordType":"limit","sz":"2","px":"64000"}';

describe('POST /api/v1/sign?dryRun=true', () => {
  const service = useNewService(() =>
    startService({
      perAccount: { points: 1, windowSeconds: 60 },
      policies: [
        { name: 'orders', accounts: ['delta/*'], effect: 'allow', when: 'signed.path == "/api/v5/trade/order"' },
        { name: 'small', accounts: ['delta/*'], effect: 'deny', when: 'decimal(signed.body.sz) > 1', mode: 'audit' },
      ],
    }),
  );

  const post = (body: object, query = 'dryRun=true') =>
    request(service.server).post(`/api/v1/sign?${query}`).send(body);

  it('gives the decision and the payload of an allowed request, and no signature', async () => {
    expect(expectData(await post(ORDER))).to.deep.equal({
      dryRun: true,
      decision: 'allowed',
      policies: ['orders'],
      wouldDeny: ['small'],
      payload: PAYLOAD,
      payloadParts: {
        timestamp: ORDER.data.timestamp,
        method: 'POST',
        path: ORDER.data.path,
        body: PAYLOAD.slice(PAYLOAD.indexOf('{')),
      },
    });
  });

  it('gives what a denied request would be refused with', async () => {
    const data = expectData<{ error: object }>(await post(WITHDRAWAL));
    expect(data).to.deep.include({ dryRun: true, decision: 'denied', policies: ['orders'], wouldDeny: [] });
    const { message, ...error } = expectError(await post(WITHDRAWAL, ''), 403, 'POLICY_DENIED');
    expect(data.error).to.deep.equal({ code: 'POLICY_DENIED', message, details: error.details });
  });

  it('gives the fixed values of an account only to callers whose request would be signed', async () => {
    const template = '{timestamp}{METHOD}{path}{account.apiKey}';
    const payload = { rule: 'prehash', template, timestamp: 'ms', passphrase: 'mac' } as const;
    const values = { apiKey: 'key-1', passphrase: 'mac-of-the-passphrase' };
    const rest = { algorithms: ['hmac-sha256' as const], verify: { mac: true } };
    service.credentials.contain({
      platforms: [{ platformId: 'delta', format: 'any', payload, ...rest }],
      accounts: [sampleCredential({ platformId: 'delta', algorithm: 'hmac-sha256', values })],
      policies: [{ name: 'no', accounts: ['*/*'], effect: 'deny', when: 'signed.path == "/withdraw"' }],
    });
    expectData(await request(service.server).post('/api/v1/config/reload'));
    const timestamp = '1700000000000';
    const send = (path: string) => ({ ...ORDER, data: { timestamp: Number(timestamp), method: 'GET', path } });
    const allowed = expectData(await post(send('/order')));
    const parts = { timestamp, method: 'GET' };
    expect(allowed).to.deep.include({ decision: 'allowed', payloadParts: { ...parts, path: '/order', values } });
    const denied = expectData(await post(send('/withdraw')));
    expect(denied).to.deep.include({ decision: 'denied', payloadParts: { ...parts, path: '/withdraw' } });
    const verify = request(service.server).post('/api/v1/verify?include=payload');
    const verified = expectData(await verify.send({ ...send('/order'), signature: '00' }));
    expect(verified).to.deep.include({ valid: false, payloadParts: { ...parts, path: '/order' } });
  });

  it('is on record as a dry run, and counts neither as a signature nor as a decision', async () => {
    await post(ORDER);
    await post(WITHDRAWAL);
    const [allowed, denied] = service.records.entries.slice(-2);
    expect(allowed).to.deep.include({
      event: 'dry-run',
      outcome: 'success',
      policy: 'orders,audit:small',
      signatureDigest: null,
    });
    expect(allowed?.data).to.have.property('allowed', true);
    expect(allowed?.payloadDigest).to.match(/^sha256:/);
    expect(denied).to.deep.include({ event: 'dry-run', outcome: 'success', errorCode: null, policy: 'orders' });
    expect(denied?.data).to.have.property('allowed', false);
    const { accounts } = expectData<{ accounts: readonly { usage: object }[] }>(
      await request(service.server).get('/api/v1/accounts?platform=delta'),
    );
    expect(accounts[0]?.usage).to.deep.include({ totalSigns: 0, errorCount: 0 });
  });

  it("takes nothing of the account's rate limit", async () => {
    for (let round = 0; round < 3; round += 1) expectData(await post(ORDER));
    expectData(await post(ORDER, ''));
    expectError(await post(ORDER, ''), 429, 'RATE_LIMITED');
    expectData(await post(ORDER));
  });

  it('is refused like signing before the policies', async () => {
    expectError(await post({ ...ORDER, platformId: 'none' }), 400, 'PLATFORM_NOT_SUPPORTED');
    expectError(await post({ ...ORDER, accountId: 'none' }), 404, 'ACCOUNT_NOT_FOUND');
    expectError(await post({ ...ORDER, data: {} }), 400, 'INVALID_DATA_FORMAT');
    expectError(await post({ platformId: 'alpha', accountId: 'idle', data: DATA_A }), 423, 'ACCOUNT_INACTIVE');
    expect(service.records.entries.slice(-4).map(({ event, outcome }) => `${event} ${outcome}`)).to.deep.equal(
      Array(4).fill('dry-run refused'),
    );
  });

  it('needs the permission to sign', async () => {
    await restartAs(
      service,
      startService({ permissions: [{ principals: ['anonymous'], operations: ['read'], accounts: ['*/*'] }] }),
    );
    expectError(await post(ORDER), 403, 'FORBIDDEN');
  });

  for (const query of ['dryRun=false', 'dryRun=true&dryRun=true', 'dryrun=true']) {
    it(`refuses ?${query}, and signs nothing`, async () => {
      const { details } = expectError(await post(ORDER, query), 400, 'INVALID_DATA_FORMAT');
      expect(JSON.stringify(details)).to.match(/dryrun/i);
    });
  }

  it('is not taken by a batch or a verification', async () => {
    for (const path of ['sign/batch', 'verify']) {
      const response = await request(service.server).post(`/api/v1/${path}?dryRun=true`).send({});
      expectError(response, 400, 'INVALID_DATA_FORMAT');
    }
  });
});
