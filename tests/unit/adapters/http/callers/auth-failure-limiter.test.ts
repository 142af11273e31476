import { expect } from 'chai';
import express from 'express';
import request from 'supertest';
import { AuthFailureLimiter } from '../../../../../src/adapters/http/callers/auth-failure-limiter.ts';
import { PRIVATE_NETWORKS } from '../../../../../src/adapters/http/callers/network.ts';
import { NetworkList } from '../../../../../src/adapters/http/callers/network-list.ts';
import { respondWithData } from '../../../../../src/adapters/http/envelope.ts';
import { entryChecks } from '../../../../../src/adapters/http/middleware/entry-checks.ts';
import { responseHeaders } from '../../../../../src/adapters/http/middleware/response-headers.ts';
import { MemoryRateLimiter } from '../../../../../src/adapters/limits/memory-rate-limiter.ts';
import { FixedClock } from '../../../../doubles/fixed-clock.ts';
import { RecordingMetrics } from '../../../../doubles/recording-metrics.ts';
import { RecordingServiceLog } from '../../../../doubles/recording-service-log.ts';
import { expectData, expectError } from '../../../../harness/envelope-checks.ts';

/** One point returns every second. */
const BUDGET = { points: 3, windowSeconds: 3 };

const NETWORKS = { allowed: new NetworkList(PRIVATE_NETWORKS), trustedProxies: new NetworkList(['127.0.0.0/8']) };

describe('AuthFailureLimiter', () => {
  let clock: FixedClock;
  let log: RecordingServiceLog;
  let proofs: AuthFailureLimiter;

  beforeEach(() => {
    clock = new FixedClock();
    log = new RecordingServiceLog();
    proofs = new AuthFailureLimiter(new MemoryRateLimiter(BUDGET, clock), log);
  });

  const app = express()
    .set('trust proxy', true)
    .use(responseHeaders(false), entryChecks(NETWORKS, new RecordingMetrics(), new RecordingServiceLog()))
    .get('/verify', async (_, response) => {
      if (await proofs.mayVerify(response)) respondWithData(response, {});
    })
    .get('/fail', async (_, response) => {
      if (await proofs.mayFail(response)) response.status(401).end();
    });

  const send = (path: string, address = '10.0.0.1') => request(app).get(path).set('X-Forwarded-For', address);
  const fail = async (times: number) => {
    for (let nth = 0; nth < times; nth += 1) expect((await send('/fail')).status).to.equal(401);
  };

  for (const path of ['/fail', '/verify']) {
    it(`refuses ${path} from an address over the limit, for the returned time`, async () => {
      await fail(3);
      const response = await send(path);
      const { details } = expectError(response, 429, 'RATE_LIMITED');
      expect(details).to.deep.equal({ retryAfterMs: 1000, limit: 3, windowSeconds: 3, scope: 'authentication' });
      expect(response.headers['retry-after']).to.equal('1');
      expect((await send(path, '10.0.0.2')).status).not.to.equal(429);
      clock.advance(1000);
      expect((await send(path)).status).not.to.equal(429);
    });
  }

  it('consumes no point to check an unknown token', async () => {
    for (let nth = 0; nth < 10; nth += 1) expectData(await send('/verify'));
    await fail(3);
  });

  it('counts every refusal, and throttles the log', async () => {
    const lines = () => log.events.map(({ level, facts }) => [level, facts]);
    await fail(3);
    for (const path of ['/fail', '/verify', '/fail']) await send(path);
    expect(proofs.refused).to.equal(3);
    expect(lines()).to.deep.equal([['warn', { count: 1, refusedSinceStart: 1 }]]);
  });
});
