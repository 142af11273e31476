import { expect } from 'chai';
import request from 'supertest';
import { CredentialLoadError } from '../../src/domain/model/errors.ts';
import type { FixedAccount } from '../doubles/fixed-credential-source.ts';
import { expectData, expectError } from './envelope-checks.ts';
import { type RunningService, STARTED_AT, startService } from './harness.ts';
import { DATA_A, SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from './sample-accounts.ts';

describe('POST /api/v1/config/reload', () => {
  let service: RunningService;

  beforeEach(async () => {
    service = await startService();
  });
  afterEach(() => service.close());

  const reload = () => request(service.server).post('/api/v1/config/reload');
  const sign = (accountId: string) =>
    request(service.server).post('/api/v1/sign').send({ platformId: 'alpha', accountId, data: DATA_A });

  it('answers with exactly the fields of a reload result', async () => {
    service.clock.advance(1000);
    expect(expectData(await reload())).to.deep.equal({
      reloadedAt: new Date(Date.parse(STARTED_AT) + 1000).toISOString(),
      changes: { added: 0, updated: 0, removed: 0 },
      accountCount: SAMPLE_ACCOUNTS.length,
      platformCount: SAMPLE_PLATFORMS.length,
    });
  });

  it('counts what was added, updated and removed, and serves the new accounts at once', async () => {
    const [main, idle, ...others] = SAMPLE_ACCOUNTS;
    if (main === undefined || idle === undefined) throw new Error('The sample has too few accounts.');
    const fresh = { ...main, accountId: 'fresh' };
    const accounts: FixedAccount[] = [{ ...idle, status: 'active' }, fresh, ...others];
    service.credentials.contain({ platforms: SAMPLE_PLATFORMS, accounts });

    const data = expectData(await reload());
    expect(data['changes']).to.deep.equal({ added: 1, updated: 1, removed: 1 });
    expect(data['accountCount']).to.equal(SAMPLE_ACCOUNTS.length);
    expectData(await sign('fresh'));
    expectData(await sign('idle'));
    expectError(await sign('main'), 404, 'ACCOUNT_NOT_FOUND');
  });

  it('answers 500 CONFIG_LOAD_FAILED naming what is wrong, and goes on with what it had', async () => {
    const issues = [{ path: 'accounts[3].alias', message: 'must be 1 to 128 printable characters' }];
    service.credentials.failWith(new CredentialLoadError(service.credentials.location, issues));
    const { details } = expectError(await reload(), 500, 'CONFIG_LOAD_FAILED');
    expect(details).to.deep.equal({ path: service.credentials.location, issues });
    expectData(await sign('main'));
  });

  it('goes on signing while a reload is under way', async () => {
    const release = service.credentials.hold();
    const reloading = reload().then((response) => response);
    while (service.credentials.loads < 2) await new Promise((resolve) => setImmediate(resolve));
    expectData(await sign('main'));
    release();
    expectData(await reloading);
    expectData(await sign('main'));
  });

  it('leaves a body unread, whatever it is', async () => {
    const broken = await reload().set('Content-Type', 'application/json').send('{"broken"');
    expectData(broken);
    const large = await reload().set('Content-Type', 'application/octet-stream').send(Buffer.alloc(3_000_000));
    expectData(large);
    expectData(await request(service.server).get('/api/v1/status'));
  });

  it('records the reload with the correlation id of the call', async () => {
    const response = await reload();
    const [record] = service.records.entries;
    expect(record).to.include({ event: 'reload', outcome: 'success', remoteAddress: '127.0.0.1' });
    expect(record?.correlationId).to.equal(response.headers['x-correlation-id']);
  });
});
