import { expect } from 'chai';
import { encodeBase58 } from 'ethers';
import request from 'supertest';
import { type RunningService, startService } from './harness.ts';
import { DATA_A, DATA_B, SAMPLE_ACCOUNTS } from './sample-accounts.ts';

/** The texts in which a private key could show. */
function textsOf(key: Uint8Array): readonly string[] {
  const bytes = Buffer.from(key);
  const hex = bytes.toString('hex');
  return [
    hex,
    hex.toUpperCase(),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    encodeBase58(bytes),
    [...bytes].join(','),
  ];
}

describe('Private keys', () => {
  let service: RunningService;

  before(async () => {
    service = await startService();
  });
  after(() => service.close());

  it('stand in no response, in no audit record and in no log line', async () => {
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

    const written = [
      ...responses.map(({ text, headers }) => text + JSON.stringify(headers)),
      JSON.stringify(service.records.entries),
      ...service.log.events.map((event) => JSON.stringify(event) + String(event.facts['cause'])),
    ].join('\n');
    expect(written).to.include('signature');
    for (const { privateKey } of SAMPLE_ACCOUNTS) {
      for (const text of textsOf(privateKey)) expect(written).not.to.include(text);
    }
  });
});
