import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { computeAddress } from 'ethers/transaction';
import request from 'supertest';
import { expectData, expectError } from '../../harness/envelope-checks.ts';
import { STARTED_AT } from '../../harness/running-service.ts';
import { DATA_A, SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../../harness/sample-accounts.ts';
import { base58Bytes } from '../../harness/signature-checks.ts';
import { useNewService } from '../../harness/use-service.ts';
import { EIP_191_VECTORS } from '../../vectors/eip-191.ts';
import { RFC_8032_VECTORS } from '../../vectors/rfc-8032.ts';

interface AccountView {
  readonly publicKey: string;
  readonly keyId: string;
  readonly address?: string;
  readonly lastUsed: string | null;
}

describe('GET /api/v1/accounts/{platformId}/{accountId}', () => {
  const service = useNewService();

  const get = (path: string) => request(service.server).get(`/api/v1/accounts/${path}`);

  it('returns an ed25519 account with exactly the expected fields', async () => {
    const data = expectData<AccountView>(await get('alpha/main'));
    const { publicKey, keyId, ...rest } = data;
    expect(keyId).to.equal(createHash('sha256').update(String(publicKey)).digest('hex').slice(0, 16));
    expect(rest).to.deep.equal({
      accountId: 'main',
      platformId: 'alpha',
      alias: 'Alpha main',
      status: 'active',
      environment: 'production',
      algorithm: 'ed25519',
      createdAt: STARTED_AT,
      lastUsed: null,
    });
    expect(base58Bytes(publicKey, 32).toString('hex')).to.equal(RFC_8032_VECTORS[0]?.publicKey);
  });

  it('returns an eip191 account with its uncompressed public key', async () => {
    const data = expectData<AccountView & { algorithm: string }>(await get('beta/main'));
    expect(data.algorithm).to.equal('eip191');
    expect(data.publicKey).to.match(/^0x04[0-9a-f]{128}$/);
    expect(computeAddress(data.publicKey)).to.equal(EIP_191_VECTORS[0]?.address);
    expect(data.address).to.equal(EIP_191_VECTORS[0]?.address);
  });

  it('returns the status of a disabled platform beside that of its account, also in the list', async () => {
    const platforms = SAMPLE_PLATFORMS.map((platform) =>
      platform.platformId === 'alpha' ? { ...platform, status: 'disabled' as const } : platform,
    );
    service.credentials.contain({ platforms, accounts: SAMPLE_ACCOUNTS });
    expectData(await request(service.server).post('/api/v1/config/reload'));
    for (const [path, status] of [
      ['alpha/main', 'active'],
      ['alpha/idle', 'disabled'],
    ] as const) {
      expect(expectData(await get(path))).to.include({ status, platformStatus: 'disabled' });
    }
    expect(expectData(await get('beta/main'))).to.not.have.property('platformStatus');
    const list = await request(service.server).get('/api/v1/accounts');
    const { accounts } = expectData<{ accounts: readonly { platformId: string; platformStatus?: string }[] }>(list);
    for (const { platformId, platformStatus } of accounts) {
      expect(platformStatus).to.equal(platformId === 'alpha' ? 'disabled' : undefined);
    }
  });

  it('returns the time of the last signature', async () => {
    service.clock.advance(5000);
    await request(service.server).post('/api/v1/sign').send({ platformId: 'alpha', accountId: 'main', data: DATA_A });
    const { lastUsed } = expectData<AccountView>(await get('alpha/main'));
    expect(lastUsed).to.equal(new Date(Date.parse(STARTED_AT) + 5000).toISOString());
  });

  const unknown: readonly (readonly [path: string, platformId: string, accountId: string])[] = [
    ['alpha/nobody', 'alpha', 'nobody'],
    ['nowhere/main', 'nowhere', 'main'],
    ['alpha/..%2fsecret', 'alpha', '../secret'],
    ['__proto__/constructor', '__proto__', 'constructor'],
  ];
  for (const [path, platformId, accountId] of unknown) {
    it(`responds 404 ACCOUNT_NOT_FOUND with both ids for ${path.slice(0, 30)}`, async () => {
      const { details } = expectError(await get(path), 404, 'ACCOUNT_NOT_FOUND');
      expect(details).to.deep.equal({ platformId, accountId });
    });
  }

  for (const path of ['%zz/x', 'alpha/%c3%28']) {
    it(`responds 404 NOT_FOUND for the undecodable path ${path}`, async () => {
      expectError(await get(path), 404, 'NOT_FOUND');
    });
  }
});
