import { expect } from 'chai';
import { encodeBase58 } from 'ethers/utils';
import request, { type Response } from 'supertest';
import { sampleCredential, samplePlatform } from '../../doubles/credential-builder.ts';
import { DATA_A, DATA_B, SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../../harness/sample-accounts.ts';
import { useNewService } from '../../harness/use-service.ts';

const SECRET = Buffer.from('NhqPtmdSJYdKjVHjA7PZj4Mge3R5YNiP1e3UZjInClVN65XAbvqqM6A7H5fATj0j');
const TOO_LONG = Buffer.alloc(1025, 'ZcQ7');

/** Encodings of a private key. */
function textsOf(key: Uint8Array): readonly string[] {
  const bytes = Buffer.from(key);
  const hex = bytes.toString('hex');
  return [
    hex,
    hex.toUpperCase(),
    bytes.toString('base64'),
    bytes.toString('latin1'),
    bytes.toString('base64url'),
    encodeBase58(bytes),
    [...bytes].join(','),
  ];
}

describe('Private keys', () => {
  const service = useNewService();

  /** All output to callers, auditors and operators. */
  function written(responses: readonly Response[]): string {
    return [
      ...responses.map(({ text, headers }) => text + JSON.stringify(headers)),
      JSON.stringify(service.records.entries),
      ...service.log.events.map((event) => JSON.stringify(event) + String(event.facts['cause'])),
    ].join('\n');
  }

  it('appear in no response, audit record or log line', async () => {
    const item = { platformId: 'alpha', accountId: 'main', data: DATA_A };
    const sent = (path: string, body: object) => request(service.server).post(path).send(body);
    const responses = [
      await sent('/api/v1/sign?include=payload', item),
      await sent('/api/v1/sign', { platformId: 'beta', accountId: 'main', data: DATA_B }),
      await sent('/api/v1/sign', { ...item, data: {} }),
      await sent('/api/v1/sign/batch?include=payload', { requests: [{ requestId: '1', ...item }] }),
      await sent('/api/v1/config/reload', {}),
      await request(service.server).get('/api/v1/accounts'),
      await request(service.server).get('/api/v1/accounts/alpha/main'),
      await request(service.server).get('/api/v1/accounts/beta/main'),
      await request(service.server).get('/api/v1/status'),
    ];
    service.keyStore.purge();
    responses.push(await sent('/api/v1/sign', item));
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 400, 200, 200, 200, 200, 200, 200, 500]);

    const everything = written(responses);
    for (const { privateKey } of SAMPLE_ACCOUNTS) {
      for (const text of textsOf(privateKey)) expect(everything).not.to.include(text);
    }
  });

  it('appear nowhere if they are HMAC secrets', async () => {
    const account = { ...sampleCredential({ algorithm: 'hmac-sha256' }), platformId: 'hmac', privateKey: SECRET };
    const platform = samplePlatform({ platformId: 'hmac', algorithms: ['hmac-sha256'] });
    const platforms = [platform, { ...platform, platformId: 'verifiable', verify: { mac: true } }];
    service.credentials.contain({
      platforms: [...SAMPLE_PLATFORMS, ...platforms],
      accounts: [account, { ...account, platformId: 'verifiable' }],
    });
    const sent = (path: string, body: object) => request(service.server).post(path).send(body);
    const item = { platformId: 'hmac', accountId: 'main', data: { a: 1 } };
    const responses = [
      await sent('/api/v1/config/reload', {}),
      await sent('/api/v1/sign?include=payload', item),
      await sent('/api/v1/sign/batch', { requests: [{ requestId: '1', ...item }] }),
      await sent('/api/v1/verify', { ...item, signature: 'ab' }),
      await sent('/api/v1/verify', { ...item, platformId: 'verifiable', signature: 'ab'.repeat(32) }),
      await request(service.server).get('/api/v1/accounts'),
      await request(service.server).get('/api/v1/accounts/hmac/main'),
    ];
    // Too long for HMAC, a configuration error.
    service.credentials.contain({ platforms, accounts: [{ ...account, privateKey: TOO_LONG }] });
    responses.push(await sent('/api/v1/config/reload', {}));
    expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 200, 403, 200, 200, 200, 500]);

    const everything = written(responses);
    expect(everything).to.match(/"publicKey":"hmac:[0-9a-f]{16}"/);
    for (const secret of [SECRET, TOO_LONG]) {
      for (const text of textsOf(secret)) expect(everything).not.to.include(text);
    }
  });
});
