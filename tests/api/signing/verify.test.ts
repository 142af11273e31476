import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { expect } from 'chai';
import { SigningKey } from 'ethers/crypto';
import { hashMessage } from 'ethers/hash';
import request from 'supertest';
import type { Platform } from '../../../src/domain/model/platform.ts';
import { FailingAuditSink } from '../../doubles/failing-audit-sink.ts';
import { canonicalize } from '../../harness/canonicalize.ts';
import { expectData, expectError, expectIssues } from '../../harness/envelope-checks.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import { DATA_A, DATA_B, DATA_C, SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../../harness/sample-accounts.ts';
import type { SignatureResult } from '../../harness/signature-checks.ts';
import { EIP_191_VECTORS } from '../../vectors/eip-191.ts';
import { RFC_8032_VECTORS } from '../../vectors/rfc-8032.ts';

const SECRET = 'NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j';
const PARAMS = { symbol: 'LTCBTC', side: 'BUY', timestamp: 1499827319559 };
const QUERY = 'symbol=LTCBTC&side=BUY&timestamp=1499827319559';

const MAC_PLATFORM: Platform = {
  platformId: 'open',
  format: 'any',
  algorithms: ['hmac-sha256'],
  payload: { rule: 'query', field: 'params' },
  verify: { mac: true },
};
const { verify: _allowed, ...CLOSED } = MAC_PLATFORM;

const MAC_ACCOUNT = {
  platformId: 'open',
  accountId: 'main',
  alias: 'main',
  status: 'active',
  environment: 'production',
  algorithm: 'hmac-sha256',
  publicKey: null,
  createdAt: null,
  privateKey: Uint8Array.from(Buffer.from(SECRET)),
} as const;

const CONFIGURATION = {
  platforms: [...SAMPLE_PLATFORMS, MAC_PLATFORM, { ...CLOSED, platformId: 'closed' }],
  accounts: [
    ...SAMPLE_ACCOUNTS,
    MAC_ACCOUNT,
    { ...MAC_ACCOUNT, accountId: 'idle', status: 'disabled' as const },
    { ...MAC_ACCOUNT, platformId: 'closed' },
  ],
};

const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const hmac = (text: string, secret = SECRET) => createHmac('sha256', secret).update(text).digest('hex');
const personalSignature = (key: string, text: string) => new SigningKey(key).sign(hashMessage(text)).serialized;

describe('POST /api/v1/verify', () => {
  let service: RunningService;
  let recordedBefore: number;

  beforeEach(async () => {
    service = await startService();
    service.credentials.contain(CONFIGURATION);
    expectData(await request(service.server).post('/api/v1/config/reload'));
    recordedBefore = service.records.entries.length;
  });
  afterEach(() => service.close());

  const recorded = () => service.records.entries.slice(recordedBefore);
  const post = (body: object, path = '/api/v1/verify') => request(service.server).post(path).send(body);
  const signatureOf = async (body: object) => expectData<SignatureResult>(await post(body, '/api/v1/sign')).signature;

  for (const [platformId, data, other] of [
    ['alpha', DATA_A, { ...DATA_A, nonce: DATA_A.nonce + 1 }],
    ['beta', DATA_B, { message: { ...DATA_B.message, price: '3050.2' } }],
    ['gamma', DATA_C, { ...DATA_C, params: { ...DATA_C.params, quantity: '5' } }],
    ['open', { params: PARAMS }, { params: { ...PARAMS, side: 'SELL' } }],
  ] as const) {
    it(`verifies a signature made by this service for ${platformId}`, async () => {
      const signature = await signatureOf({ platformId, accountId: 'main', data });
      expect(expectData(await post({ platformId, accountId: 'main', data, signature }))).to.deep.equal({ valid: true });
      expect(expectData(await post({ platformId, accountId: 'main', data: other, signature }))).to.deep.equal({
        valid: false,
      });
    });
  }

  it('accepts signatures made elsewhere with the same key', async () => {
    const key = EIP_191_VECTORS[0]?.privateKey ?? '';
    const signature = personalSignature(key, canonicalize(DATA_B.message));
    expect(expectData(await post({ platformId: 'beta', accountId: 'main', data: DATA_B, signature }))).to.deep.equal({
      valid: true,
    });
    const mac = { platformId: 'open', accountId: 'main', data: { params: PARAMS }, signature: hmac(QUERY) };
    expect(expectData(await post(mac))).to.deep.equal({ valid: true });
  });

  it('rejects signatures of another key', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const foreign = sign(null, Buffer.from(RFC_8032_VECTORS[0]?.message ?? '', 'hex'), privateKey).toString('hex');
    const data = { text: 'hello' };
    for (const [platformId, accountId, signature] of [
      ['verbatim', 'rfc8032-0', foreign],
      ['verbatim', 'eip191-0', personalSignature(`0x${randomBytes(32).toString('hex')}`, 'hello')],
    ] as const) {
      expect(expectData(await post({ platformId, accountId, data, signature }))).to.deep.equal({ valid: false });
    }
    const mac = { platformId: 'open', accountId: 'main', data: { params: PARAMS }, signature: hmac(QUERY, 'other') };
    expect(expectData(await post(mac))).to.deep.equal({ valid: false });
  });

  it('returns false, never an error, for text that is not a signature in the platform encoding', async () => {
    const signature = await signatureOf({ platformId: 'beta', accountId: 'main', data: DATA_B });
    const texts = [
      signature.slice(2),
      signature.toUpperCase(),
      `${signature}00`,
      signature.slice(0, -2),
      Buffer.from(signature.slice(2), 'hex').toString('base64'),
      'x',
      ' ',
      'é'.repeat(100),
      '0x',
      '\ud800',
    ];
    for (const text of texts) {
      const body = { platformId: 'beta', accountId: 'main', data: DATA_B, signature: text };
      expect(expectData(await post(body)), text).to.deep.equal({ valid: false });
      const mac = { platformId: 'open', accountId: 'main', data: { params: PARAMS }, signature: text };
      expect(expectData(await post(mac)), text).to.deep.equal({ valid: false });
    }
  });

  it('?include=payload adds the payload that was verified', async () => {
    const body = { platformId: 'open', accountId: 'main', data: { params: PARAMS }, signature: 'x' };
    expect(expectData(await post(body, '/api/v1/verify?include=payload'))).to.deep.equal({
      valid: false,
      payload: QUERY,
      payloadParts: { query: QUERY },
    });
    const raw = { platformId: 'verbatim', accountId: 'rfc8032-0', data: { hex: 'C3A9' }, signature: 'x' };
    expect(expectData(await post(raw, '/api/v1/verify?include=payload'))).to.deep.equal({
      valid: false,
      payload: 'C3A9',
      payloadEncoding: 'hex',
      payloadParts: {},
    });
  });

  it("verifies earlier signatures with a disabled account's public key", async () => {
    const body = { platformId: 'verbatim', accountId: 'rfc8032-1', data: { text: 'hello' } };
    const signature = await signatureOf(body);
    service.credentials.contain({
      ...CONFIGURATION,
      accounts: CONFIGURATION.accounts.map((account) => ({ ...account, status: 'disabled' as const })),
    });
    expectData(await request(service.server).post('/api/v1/config/reload'));
    expectError(await post(body, '/api/v1/sign'), 423, 'ACCOUNT_INACTIVE');
    expect(expectData(await post({ ...body, signature }))).to.deep.equal({ valid: true });
  });

  it("verifies earlier signatures of a disabled platform with its accounts' public keys, HMAC ones not", async () => {
    const body = { platformId: 'verbatim', accountId: 'rfc8032-1', data: { text: 'hello' } };
    const signature = await signatureOf(body);
    const stopped = ['verbatim', 'open'];
    service.credentials.contain({
      ...CONFIGURATION,
      platforms: CONFIGURATION.platforms.map((platform) =>
        stopped.includes(platform.platformId) ? { ...platform, status: 'disabled' as const } : platform,
      ),
    });
    expectData(await request(service.server).post('/api/v1/config/reload'));
    const { details } = expectError(await post(body, '/api/v1/sign'), 423, 'ACCOUNT_INACTIVE');
    expect(details).to.deep.equal({ platformId: 'verbatim', accountId: 'rfc8032-1', reason: 'PLATFORM_DISABLED' });
    expect(expectData(await post({ ...body, signature }))).to.deep.equal({ valid: true });
    const mac = { platformId: 'open', accountId: 'main', data: { params: PARAMS }, signature: hmac(QUERY) };
    expectError(await post(mac), 423, 'ACCOUNT_INACTIVE');
    const item = { requestId: '1', ...body };
    const batch = await post({ requests: [item] }, '/api/v1/sign/batch');
    const [result] = expectData<{ results: readonly { error?: { code: string; details: object } }[] }>(batch).results;
    expect(result?.error?.code).to.equal('ACCOUNT_INACTIVE');
    expect(result?.error?.details).to.deep.equal(details);
  });

  it('HMAC: responds 403 to any signature unless the configuration allows it', async () => {
    const body = { platformId: 'closed', accountId: 'main', data: { params: PARAMS } };
    for (const signature of [hmac(QUERY), 'x']) {
      const error = expectError(await post({ ...body, signature }), 403, 'FORBIDDEN');
      expect(error.details).to.deep.equal({
        platformId: 'closed',
        accountId: 'main',
        principal: 'anonymous',
        reason: 'VERIFICATION_FORBIDDEN',
      });
    }
  });

  it('HMAC: responds 423 for a disabled account, whose secret must not be used', async () => {
    const body = { platformId: 'open', accountId: 'idle', data: { params: PARAMS }, signature: hmac(QUERY) };
    expectError(await post(body), 423, 'ACCOUNT_INACTIVE');
  });

  describe('rejects requests as POST /sign does', () => {
    const signature = 'x';

    it('an unknown platform, an unknown account, data that the format or the rule rejects', async () => {
      expectError(
        await post({ platformId: 'no', accountId: 'main', data: {}, signature }),
        400,
        'PLATFORM_NOT_SUPPORTED',
      );
      expectError(await post({ platformId: 'alpha', accountId: 'no', data: {}, signature }), 404, 'ACCOUNT_NOT_FOUND');
      const ofFormat = expectIssues(await post({ platformId: 'alpha', accountId: 'main', data: {}, signature }));
      expect(ofFormat).to.include('data.type');
      const ofRule = expectIssues(await post({ platformId: 'open', accountId: 'main', data: {}, signature }));
      expect(ofRule).to.deep.equal(['data.params']);
    });

    for (const [name, wrong] of [
      ['no signature', undefined],
      ['a number', 5],
      ['null', null],
      ['an empty text', ''],
      ['more than 16384 characters', 'a'.repeat(16_385)],
    ] as const) {
      it(`a signature that is ${name}`, async () => {
        const body = { platformId: 'alpha', accountId: 'main', data: DATA_A, signature: wrong };
        expect(expectIssues(await post(body))).to.deep.equal(['signature']);
      });
    }
  });

  describe('is recorded before the response', () => {
    it('with the masked data, the digests of payload and signature, and the result', async () => {
      for (const [signature, valid] of [
        [hmac(QUERY), true],
        ['x', false],
      ] as const) {
        const response = await post({ platformId: 'open', accountId: 'main', data: { params: PARAMS }, signature });
        expect(expectData(response)).to.deep.equal({ valid });
        expect(recorded().at(-1)).to.deep.include({
          event: 'verify',
          outcome: 'success',
          errorCode: null,
          platformId: 'open',
          accountId: 'main',
          algorithm: 'hmac-sha256',
          payloadDigest: digest(QUERY),
          signatureDigest: digest(signature),
          data: { valid, data: { params: PARAMS } },
          correlationId: response.headers['x-correlation-id'],
          remoteAddress: '127.0.0.1',
        });
      }
      expect(recorded()).to.have.lengthOf(2);
    });

    it('with the reason of a refusal', async () => {
      await post({ platformId: 'closed', accountId: 'main', data: { params: PARAMS, secret: 's' }, signature: 'x' });
      await post({ platformId: 'no', accountId: 'main', data: { params: PARAMS }, signature: 'x' });
      await post({ platformId: 'no' });
      expect(recorded().map(({ event, outcome, errorCode, data }) => [event, outcome, errorCode, data])).to.deep.equal([
        ['verify', 'refused', 'FORBIDDEN', { valid: null, data: { params: PARAMS, '[other]': '[masked]' } }],
        ['verify', 'refused', 'PLATFORM_NOT_SUPPORTED', { valid: null, data: null }],
        ['verify', 'refused', 'INVALID_DATA_FORMAT', null],
      ]);
    });

    it('and returns no result if it cannot be recorded', async () => {
      await service.close();
      service = await startService({ adapters: { sink: new FailingAuditSink() } });
      const response = await post({ platformId: 'alpha', accountId: 'main', data: DATA_A, signature: 'x' });
      const { details } = expectError(response, 500, 'SIGNATURE_FAILED');
      expect(details).to.deep.equal({ reason: 'AUDIT_UNAVAILABLE' });
      expect(response.text).not.to.include('valid');
    });

    it('and does not count as a signature', async () => {
      const signature = await signatureOf({ platformId: 'alpha', accountId: 'main', data: DATA_A });
      await post({ platformId: 'alpha', accountId: 'main', data: DATA_A, signature });
      await post({ platformId: 'alpha', accountId: 'main', data: {}, signature });
      const { performance } = expectData<{ performance: object }>(await request(service.server).get('/api/v1/status'));
      expect(performance).to.deep.include({ totalSigns: 1, errorRate: 0 });
    });
  });
});
