import { expect } from 'chai';
import express from 'express';
import request from 'supertest';
import { MemoryRateLimiter } from '../../../../../../src/adapters/driven/rate-limiter/memory-rate-limiter.ts';
import { identifyCaller } from '../../../../../../src/adapters/driving/http/callers/call-context.ts';
import { CallerLimits } from '../../../../../../src/adapters/driving/http/callers/caller-limits.ts';
import { answerData } from '../../../../../../src/adapters/driving/http/envelope.ts';
import { entryChecks } from '../../../../../../src/adapters/driving/http/middleware/entry-checks.ts';
import { responseHeaders } from '../../../../../../src/adapters/driving/http/middleware/response-headers.ts';
import { NetworkList } from '../../../../../../src/adapters/driving/http/networks/network-list.ts';
import { PRIVATE_NETWORKS } from '../../../../../../src/adapters/driving/http/networks/private-networks.ts';
import { expectData, expectError } from '../../../../../api/envelope-checks.ts';
import { FixedClock } from '../../../../../doubles/fixed-clock.ts';
import { RecordingMetrics } from '../../../../../doubles/recording-metrics.ts';
import { RecordingServiceLog } from '../../../../../doubles/recording-service-log.ts';

/** One point comes back a second. */
const BUDGET = { points: 3, windowSeconds: 3 };

const NETWORKS = { allowed: new NetworkList(PRIVATE_NETWORKS), trustedProxies: null };

describe('CallerLimits', () => {
  let limits: CallerLimits;

  beforeEach(() => {
    limits = new CallerLimits(new MemoryRateLimiter(BUDGET, new FixedClock()), new RecordingServiceLog());
  });

  /** Believes whoever says in a header who they are. */
  const app = express()
    .use(responseHeaders(false), entryChecks(NETWORKS, new RecordingMetrics(), new RecordingServiceLog()))
    .use((received, response, next) => {
      const name = received.header('name');
      if (name !== undefined) identifyCaller(response, name);
      next();
    })
    .get('/', async (_received, response) => {
      if (await limits.admit(response)) answerData(response, {});
    });

  const ask = (name?: string) => {
    const asked = request(app).get('/');
    return name === undefined ? asked : asked.set('name', name);
  };

  it('count in the name of the principal, where one was proved, and else in that of the address', async () => {
    for (const name of ['one', 'two', undefined]) {
      for (let nth = 0; nth < 3; nth += 1) expectData(await ask(name));
      const { details } = expectError(await ask(name), 429, 'RATE_LIMITED');
      expect(details).to.deep.equal({ retryAfterMs: 1000, limit: 3, windowSeconds: 3, scope: 'caller' });
    }
    expectData(await ask('three'));
    expect(limits.refused).to.equal(3);
  });
});
