import { expect } from 'chai';
import request from 'supertest';
import type { JsonObject } from '../../../src/domain/model/json.ts';
import { DOCUMENTED_OPERATIONS } from '../../harness/documented-operations.ts';
import { expectData } from '../../harness/envelope-checks.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import { DATA_B, SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../../harness/sample-accounts.ts';

const BETA = { platformId: 'beta', accountId: 'main', data: DATA_B };

const SHOWN = ['alpha', 'beta', 'gamma', 'delta'];

/** Differences between examples and the tested service: files and measured times. */
const OF_ITS_OWN: { readonly [operationId: string]: (data: JsonObject) => JsonObject } = {
  reloadConfiguration: (data) => ({
    ...data,
    configurationDigest: 'sha256:6638812e87f8b4a92b617aa03faa57b077953fc7842ada54783120a195c06d04',
    masterKeyIds: ['1f0c5d2a9b7e4863'],
    previous: {
      ...(data['previous'] as JsonObject),
      configurationDigest: 'sha256:6638812e87f8b4a92b617aa03faa57b077953fc7842ada54783120a195c06d04',
      masterKeyIds: ['1f0c5d2a9b7e4863'],
    },
  }),
  getStatus: (data) => ({
    ...data,
    config: { ...(data['config'] as JsonObject), path: '/etc/signing-service/credentials.json', isWatching: true },
    performance: { ...(data['performance'] as JsonObject), avgSigningTime: '0.42ms' },
    instance: { id: 'signer-1', version: '1.0.0' },
    audit: {
      ...(data['audit'] as JsonObject),
      head: { seq: 4, hash: 'sha256:3b487ad0c1f6a2b0c9a34c2f5d5e6a7a0d4f9e1b2c3d4e5f60718293a4b5c6d7' },
    },
  }),
};

describe('Every documented example', () => {
  describe('of a response', () => {
    let service: RunningService;

    beforeEach(async () => {
      service = await startService();
      service.credentials.contain({
        platforms: SAMPLE_PLATFORMS.filter(({ platformId }) => SHOWN.includes(platformId)),
        accounts: SAMPLE_ACCOUNTS.filter(({ platformId }) => SHOWN.includes(platformId)),
      });
      await request(service.server).post('/api/v1/config/reload');
    });
    afterEach(() => service.close());

    for (const { operationId, method, examples } of DOCUMENTED_OPERATIONS) {
      for (const [name, { target, body, response }] of examples) {
        it(`matches that of the service: ${operationId}, ${name}`, async () => {
          // The examples assume a signature and some uptime.
          if (method === 'get') await request(service.server).post('/api/v1/sign').send(BETA);
          if (operationId === 'getStatus') service.clock.advance(((26 * 60 + 3) * 60 + 9) * 1000);
          const data = expectData(await request(service.server)[method](target).send(body));
          expect(OF_ITS_OWN[operationId]?.(data) ?? data).to.deep.equal(response);
        });
      }
    }
  });

  it('exists for each JSON request and response', () => {
    const pages = ['getMetrics', 'getApiDocument', 'getApiPage'];
    for (const { operationId, hasBody, examples } of DOCUMENTED_OPERATIONS) {
      expect(examples.length > 0, operationId).to.equal(!pages.includes(operationId));
      expect(examples.every(([, { body }]) => (body !== undefined) === hasBody)).to.equal(true);
    }
  });
});
