import { expect } from 'chai';
import request from 'supertest';
import { expectData, expectIssues } from './envelope-checks.ts';
import { type RunningService, STARTED_AT, startService } from './harness.ts';
import { DATA_A, SAMPLE_ACCOUNTS } from './sample-accounts.ts';

interface AccountEntry {
  readonly accountId: string;
  readonly platformId: string;
  readonly usage: { readonly totalSigns: number; readonly lastSignAt: string | null; readonly errorCount: number };
}

interface AccountList {
  readonly accounts: readonly AccountEntry[];
  readonly total: number;
}

describe('GET /api/v1/accounts', () => {
  let service: RunningService;

  beforeEach(async () => {
    service = await startService();
  });
  afterEach(() => service.close());

  const list = async (query = '') =>
    expectData<AccountList>(await request(service.server).get(`/api/v1/accounts${query}`));

  it('lists every account with exactly the fields of a list entry', async () => {
    const data = await list();
    expect(data).to.have.all.keys('accounts', 'total');
    expect(data.total).to.equal(SAMPLE_ACCOUNTS.length);
    expect(data.accounts).to.have.lengthOf(SAMPLE_ACCOUNTS.length);
    for (const account of data.accounts) {
      expect(account).to.have.all.keys('accountId', 'platformId', 'alias', 'status', 'environment', 'usage');
      expect(account.usage).to.have.all.keys('totalSigns', 'lastSignAt', 'errorCount');
    }
    expect(data.accounts[0]).to.deep.equal({
      accountId: 'main',
      platformId: 'alpha',
      alias: 'Alpha main',
      status: 'active',
      environment: 'production',
      usage: { totalSigns: 0, lastSignAt: null, errorCount: 0 },
    });
    expect(data.accounts[1]).to.include({ accountId: 'idle', status: 'disabled' });
    expect(data.accounts[2]).to.include({ platformId: 'beta', environment: 'staging' });
  });

  it('filters by platform', async () => {
    const { accounts, total } = await list('?platform=alpha');
    expect(accounts.map(({ accountId }) => accountId)).to.deep.equal(['main', 'idle']);
    expect(total).to.equal(2);
  });

  for (const platform of ['nowhere', 'empty', '', '__proto__', '..%2f', 'a%0Ab', '%zz', 'x'.repeat(10_000)]) {
    it(`gives an empty list for ?platform=${platform.slice(0, 20)}`, async () => {
      expect(await list(`?platform=${platform}`)).to.deep.equal({ accounts: [], total: 0 });
    });
  }

  it('takes no notice of parameters that it does not know', async () => {
    expect((await list('?platform[x]=beta&platforms=beta&PLATFORM=beta')).total).to.equal(SAMPLE_ACCOUNTS.length);
  });

  it('refuses a repeated platform', async () => {
    const response = await request(service.server).get('/api/v1/accounts?platform=alpha&platform=beta');
    expect(expectIssues(response)).to.deep.equal(['platform']);
  });

  it('counts signatures and refused attempts of each account', async () => {
    const sign = (accountId: string, data: object) =>
      request(service.server).post('/api/v1/sign').send({ platformId: 'alpha', accountId, data });
    await sign('main', DATA_A);
    service.clock.advance(60_000);
    await sign('main', DATA_A);
    await sign('main', {});
    await sign('idle', DATA_A);
    const { accounts } = await list('?platform=alpha');
    expect(accounts.map(({ usage }) => usage)).to.deep.equal([
      { totalSigns: 2, lastSignAt: new Date(Date.parse(STARTED_AT) + 60_000).toISOString(), errorCount: 1 },
      { totalSigns: 0, lastSignAt: null, errorCount: 1 },
    ]);
  });
});
