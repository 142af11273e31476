import { expect } from 'chai';
import request from 'supertest';
import { OPERATIONS } from '../../../src/adapters/http/openapi/api-document.ts';
import { EXAMPLE_DATA } from '../../../src/adapters/http/openapi/operations/example-data.ts';
import { ROUTES } from '../../../src/adapters/http/route.ts';
import type { JsonObject } from '../../../src/domain/model/json.ts';
import { expectData } from '../../harness/envelope-checks.ts';
import { type RunningService, startService } from '../../harness/running-service.ts';
import { DATA_A, DATA_B, DATA_C, DATA_D, SAMPLE_ACCOUNTS, SAMPLE_PLATFORMS } from '../../harness/sample-accounts.ts';

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

    for (const { operationId, examples } of OPERATIONS) {
      const { method } = ROUTES[operationId];
      for (const [name, { target, body, response }] of Object.entries(examples)) {
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

  it('of request data matches the sample data of formats A to D', () => {
    expect(EXAMPLE_DATA).to.deep.equal({ A: DATA_A, B: DATA_B, C: DATA_C, D: DATA_D });
  });

  it('exists for each JSON request and response', () => {
    for (const { operationId, request: body, response, examples } of OPERATIONS) {
      const shown = Object.values(examples);
      if ('contentTypes' in response) continue;
      expect(shown, operationId).not.to.deep.equal([]);
      expect(shown.every((example) => (example.body !== undefined) === (body !== undefined))).to.equal(true);
    }
  });
});
