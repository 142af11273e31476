import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { TypedDataEncoder } from 'ethers/hash';
import { computeAddress, recoverAddress } from 'ethers/transaction';
import request from 'supertest';
import type { Issue } from '../../../src/domain/model/errors.ts';
import type { Platform } from '../../../src/domain/model/platform.ts';
import { sampleCredential } from '../../doubles/credential-builder.ts';
import { expectData, expectError, type ReceivedResponse } from '../../harness/envelope-checks.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import type { SignatureResult } from '../../harness/signature-checks.ts';

const SECRET = '22582BD0CFF14C41EDBF1AB98506286D';

const VENUE: Platform = {
  platformId: 'venue',
  format: 'D',
  algorithms: ['hmac-sha256'],
  payload: { rule: 'prehash', template: '{timestamp}{METHOD}{path}{body}' },
  encoding: 'base64',
  rules: {
    login: { rule: 'prehash', template: '{timestamp}GET/users/self/verify', timestamp: 's', encoding: 'hex' },
    raw: { rule: 'raw' },
  },
  verify: { mac: true },
};

const WALLET: Platform = {
  platformId: 'wallet',
  format: 'any',
  algorithms: ['hyperliquid-l1'],
  payload: { rule: 'hyperliquid-l1', network: 'testnet' },
  rules: { user: { rule: 'typed-data', domain: { name: 'Transfers' }, algorithm: 'eip712' } },
};

const PLAIN: Platform = {
  platformId: 'plain',
  format: 'any',
  algorithms: ['hmac-sha256'],
  payload: { rule: 'raw' },
};

const LOGIN = { platformId: 'venue', accountId: 'main', rule: 'login', data: { timestamp: 1538054050 } };
const LOGIN_SIGNATURE = createHmac('sha256', SECRET).update('1538054050GET/users/self/verify').digest('hex');

const UNKNOWN = 'rule must be absent or one of the rules of this platform: login, raw';

/** Issues of a refused request, as `path message`. */
function issuesOf(response: ReceivedResponse): readonly string[] {
  const { details } = expectError(response, 400, 'INVALID_DATA_FORMAT');
  const issues = details['issues'] as unknown as readonly Issue[];
  return issues.map(({ path, message }) => `${path} ${message}`);
}

describe('A request that names a rule', () => {
  let service: RunningService;

  before(async () => {
    service = await startService();
    const mac = { algorithm: 'hmac-sha256', privateKey: Buffer.from(SECRET) } as const;
    service.credentials.contain({
      platforms: [VENUE, WALLET, PLAIN],
      accounts: [
        sampleCredential({ platformId: 'venue', ...mac }),
        sampleCredential({ platformId: 'plain', ...mac }),
        sampleCredential({ platformId: 'wallet', algorithm: 'hyperliquid-l1' }),
      ],
    });
    expectData(await request(service.server).post('/api/v1/config/reload'));
  });
  after(() => service.close());

  const post = (path: string, body: object) => request(service.server).post(`/api/v1${path}`).send(body);

  it('is signed by it, in its encoding', async () => {
    const result = expectData<SignatureResult>(await post('/sign?include=payload', LOGIN));
    expect(result).to.deep.include({ algorithm: 'hmac-sha256', encoding: 'hex', signature: LOGIN_SIGNATURE });
    expect(result.payload).to.equal('1538054050GET/users/self/verify');
  });

  it('is signed with the algorithm of the rule, while the account keeps its own', async () => {
    const domain = { name: 'Transfers', chainId: 1 };
    const types = { Send: [{ name: 'amount', type: 'string' }] };
    const message = { amount: '1' };
    const account = { platformId: 'wallet', accountId: 'main' };
    const body = { ...account, rule: 'user', data: { domain, types, primaryType: 'Send', message } };
    const result = expectData<SignatureResult>(await post('/sign', body));
    expect(result).to.deep.include({ algorithm: 'eip712', encoding: '0x-hex' });
    const digest = TypedDataEncoder.hash(domain, types, message);
    expect(recoverAddress(digest, result.signature)).to.equal(computeAddress(result.publicKey));
    const view = expectData(await request(service.server).get('/api/v1/accounts/wallet/main'));
    expect(view).to.deep.include({ algorithm: 'hyperliquid-l1', publicKey: result.publicKey });
    expect(issuesOf(await post('/sign', { ...body, rule: undefined }))[0]).to.match(/^data\.domain is not signed/);
  });

  it('is verified by it', async () => {
    const verdict = async (fields: object) =>
      expectData(await post('/verify', { ...LOGIN, signature: LOGIN_SIGNATURE, ...fields }));
    expect(await verdict({})).to.deep.equal({ valid: true });
    expect(await verdict({ rule: 'raw', data: { text: 'x' } })).to.deep.equal({ valid: false });
    expect(issuesOf(await post('/verify', { ...LOGIN, signature: 'x', rule: 'fix' }))).to.deep.equal([UNKNOWN]);
  });

  it('is an item of a batch like any other', async () => {
    const data = { text: 'x' };
    const requests = [
      { requestId: '1', ...LOGIN },
      { requestId: '2', ...LOGIN, rule: 'raw', data },
      { requestId: '3', ...LOGIN, rule: 'fix' },
    ];
    const { results, summary } = expectData<{ results: Record<string, unknown>[]; summary: object }>(
      await post('/sign/batch', { requests }),
    );
    expect(summary).to.deep.equal({ total: 3, successful: 2, failed: 1 });
    expect(results[0]?.['signature']).to.equal(LOGIN_SIGNATURE);
    expect(results[1]?.['signature']).to.equal(createHmac('sha256', SECRET).update('x').digest('base64'));
    expect(results[2]).to.have.nested.property('error.details.issues[0].path', 'rule');
  });

  it('is refused with the names of the rules where the platform has none of its name', async () => {
    for (const rule of ['fix', 'Login', '', 'default', '__proto__']) {
      expect(issuesOf(await post('/sign', { ...LOGIN, rule })), rule).to.deep.equal([UNKNOWN]);
    }
    expect(issuesOf(await post('/sign', { ...LOGIN, platformId: 'plain' }))).to.deep.equal([
      'rule must be absent: this platform has no named rules',
    ]);
  });

  it('is on the audit record with the rule', async () => {
    const before = service.records.entries.length;
    expectData(await post('/sign', LOGIN));
    expectData(await post('/sign', { ...LOGIN, rule: 'raw', data: { text: 'secret' } }));
    expect(service.records.entries.slice(before).map(({ data }) => data)).to.deep.equal([
      { '[rule]': 'login', timestamp: 1538054050 },
      { '[rule]': 'raw', '[other]': '[masked]' },
    ]);
  });
});
