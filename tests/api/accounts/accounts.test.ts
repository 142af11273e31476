import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import request from 'supertest';
import type { Caller } from '../../../src/domain/model/sign-request.ts';
import type { PageRequest } from '../../../src/domain/services/account-service.ts';
import { expectData, expectError, expectIssues } from '../../harness/envelope-checks.ts';
import { openSocket } from '../../harness/raw-client.ts';
import { STARTED_AT, startService } from '../../harness/running-service.ts';
import { DATA_A, SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../../harness/sample-accounts.ts';
import { restartAs, useNewService } from '../../harness/use-service.ts';
import { EIP_191_VECTORS } from '../../vectors/eip-191.ts';

interface AccountEntry {
  readonly accountId: string;
  readonly platformId: string;
  readonly usage: { readonly totalSigns: number; readonly lastSignAt: string | null; readonly errorCount: number };
}

interface AccountList {
  readonly accounts: readonly AccountEntry[];
  readonly total: number;
}

const NOBODY: Caller = { principal: null };

describe('GET /api/v1/accounts', () => {
  const service = useNewService();

  const list = async (query = '') =>
    expectData<AccountList>(await request(service.server).get(`/api/v1/accounts${query}`));

  it('lists every account with exactly the expected fields', async () => {
    const data = await list();
    expect(data).to.have.all.keys('accounts', 'total');
    expect(data.total).to.equal(SAMPLE_ACCOUNTS.length);
    expect(data.accounts).to.have.lengthOf(SAMPLE_ACCOUNTS.length);
    for (const [index, account] of data.accounts.entries()) {
      const address = SAMPLE_ACCOUNTS[index]?.algorithm === 'eip191' ? ['address'] : [];
      expect(account).to.have.all.keys(
        'accountId',
        'platformId',
        'alias',
        'status',
        'environment',
        'usage',
        ...address,
      );
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
    const address = EIP_191_VECTORS[0]?.address;
    expect(data.accounts[2]).to.include({ platformId: 'beta', environment: 'staging', address });
  });

  it('filters by platform', async () => {
    const { accounts, total } = await list('?platform=alpha');
    expect(accounts.map(({ accountId }) => accountId)).to.deep.equal(['main', 'idle']);
    expect(total).to.equal(2);
  });

  it('returns an empty list for a platform without accounts, or none', async () => {
    for (const platform of ['nowhere', 'empty', '__proto__', '%zz']) {
      expect(await list(`?platform=${platform}`), platform).to.deep.equal({ accounts: [], total: 0 });
    }
  });

  it('counts signatures and refused attempts per account', async () => {
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

  describe('with pagination', () => {
    interface Page extends AccountList {
      readonly nextCursor: string | null;
    }

    const page = async (query: string) =>
      expectData<Page>(await request(service.server).get(`/api/v1/accounts?${query}`));

    it('returns every account once, sorted, with a cursor to the next page and null at the end', async () => {
      for (const [limit, platform] of [[1], [4], [1000], [1, 'verbatim']] as const) {
        const filter = platform === undefined ? '' : `&platform=${platform}`;
        const found: string[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const data: Page = await page(`limit=${limit}${filter}${cursor === '' ? '' : `&cursor=${cursor}`}`);
          expect(data).to.have.all.keys('accounts', 'total', 'nextCursor');
          expect(data.total).to.equal(data.accounts.length);
          expect(data.total).to.be.within(1, limit);
          found.push(...data.accounts.map(({ platformId, accountId }) => `${platformId} ${accountId}`));
          cursor = data.nextCursor;
        }
        const wanted = SAMPLE_ACCOUNTS.filter(({ platformId }) => platform === undefined || platformId === platform);
        expect(found).to.deep.equal(wanted.map(({ platformId, accountId }) => `${platformId} ${accountId}`).sort());
      }
    });

    for (const [query, paths] of [
      ['limit=0', ['limit']],
      ['limit=1001', ['limit']],
      ['limit=1&cursor=nonsense', ['cursor']],
      ['cursor=YWxwaGEgbWFpbg', ['limit']],
      ['limit=x&cursor=y&platform=a&platform=b', ['platform']],
    ] as const) {
      it(`rejects ?${query}`, async () => {
        const response = await request(service.server).get(`/api/v1/accounts?${query}`);
        expect(expectIssues(response)).to.deep.equal(paths);
      });
    }
  });

  describe('with more than a thousand accounts', () => {
    const COUNT = 2345;
    let count: number;
    let mayBeSeen: (index: number) => boolean;
    let requestCount: number;

    beforeEach(async () => {
      count = COUNT;
      mayBeSeen = () => true;
      requestCount = 0;
      await restartAs(
        service,
        startService({
          replace: ({ accounts }) => {
            const slice = async (begin: number, end: number) => {
              const [sample] = await accounts.list(NOBODY, 'alpha').slice(0, 1);
              if (sample === undefined) throw new Error('The samples have an account.');
              return Array.from({ length: Math.min(end, count) - begin }, (_, index) => begin + index)
                .filter((index) => mayBeSeen(index))
                .map((index) => ({ ...sample, profile: { ...sample.profile, accountId: `a-${index}` } }));
            };
            return {
              accounts: {
                list: () => {
                  requestCount += 1;
                  return { length: count, slice };
                },
                page: (caller: Caller, wanted: PageRequest) => accounts.page(caller, wanted),
                find: accounts.find,
              },
            };
          },
        }),
      );
    });

    it('returns all accounts in configured order, in the same envelope', async () => {
      const { accounts, total } = await list();
      expect(total).to.equal(COUNT);
      expect(accounts.map(({ accountId }) => accountId)).to.deep.equal(
        Array.from({ length: COUNT }, (_, index) => `a-${index}`),
      );
      expect(accounts[0]).to.have.all.keys('accountId', 'platformId', 'alias', 'status', 'environment', 'usage');
    });

    it('returns and counts only the accounts that the caller may read', async () => {
      for (const seen of [[], [COUNT - 1], [0, 99, 100, 101, 777, 1500]]) {
        mayBeSeen = (index) => seen.includes(index);
        const { accounts, total } = await list();
        expect(accounts.map(({ accountId }) => accountId)).to.deep.equal(seen.map((index) => `a-${index}`));
        expect(total).to.equal(seen.length);
      }
    });

    it('responds to HEAD like GET, without the body', async () => {
      const response = await request(service.server).head('/api/v1/accounts');
      expect(response.status).to.equal(200);
      expect(response.headers['content-type']).to.equal('application/json; charset=utf-8');
      expect(response.text ?? '').to.equal('');
    });

    it('streams two long lists at a time, queues 64 and refuses the rest with OVERLOADED', async () => {
      // Exceeds the socket buffers of both ends.
      count = 1_000_000;
      const callers: Socket[] = [];
      for (let index = 0; index < 2 + 64; index += 1) {
        const socket = await openSocket(service.port);
        socket.pause().write('GET /api/v1/accounts HTTP/1.1\r\nHost: localhost\r\n\r\n');
        callers.push(socket);
      }
      const beyond = await request(service.server).get('/api/v1/accounts');
      expect(expectError(beyond, 503, 'OVERLOADED').details).to.deep.equal({ retryAfterSeconds: 1 });
      expect(beyond.headers['retry-after']).to.equal('1');
      expect((await list('?limit=1')).total).to.equal(1);
      await request(service.server).head('/api/v1/accounts').expect(200);

      // All callers leave, and their permits are released.
      count = COUNT;
      for (const socket of callers) socket.destroy();
      let next = beyond;
      while (next.status === 503) next = await request(service.server).get('/api/v1/accounts');
      expect(expectData<AccountList>(next).total).to.equal(COUNT);
    });

    it('refuses a queued list if its caller has lost the permission', async () => {
      // Exceeds the socket buffers of both ends.
      count = 1_000_000;
      const callers: Socket[] = [];
      for (let index = 0; index < 2; index += 1) {
        const socket = await openSocket(service.port);
        socket.pause().write('GET /api/v1/accounts HTTP/1.1\r\nHost: localhost\r\n\r\n');
        // It has a permit.
        await once(socket, 'readable');
        callers.push(socket);
      }
      const before = requestCount;
      const waiting = request(service.server)
        .get('/api/v1/accounts')
        .then((response) => response);
      while (requestCount === before) await new Promise((resolve) => setTimeout(resolve, 2));
      count = COUNT;
      service.credentials.contain({ platforms: SAMPLE_PLATFORMS, accounts: SAMPLE_ACCOUNTS, permissions: [] });
      expectData(await request(service.server).post('/api/v1/config/reload'));
      for (const socket of callers) socket.destroy();
      expect(expectError(await waiting, 403, 'FORBIDDEN').details).to.include({ operation: 'read' });
    });
  });
});
