import { expect } from 'chai';
import express from 'express';
import fc from 'fast-check';
import request from 'supertest';
import { identifyCaller } from '../../../../../src/adapters/http/call-context.ts';
import {
  addressKey,
  CallerRateLimiter,
  callerKey,
} from '../../../../../src/adapters/http/callers/caller-rate-limiter.ts';
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

const NETWORKS = { allowed: new NetworkList(PRIVATE_NETWORKS), trustedProxies: null };

describe('CallerRateLimiter', () => {
  let limits: CallerRateLimiter;

  beforeEach(() => {
    limits = new CallerRateLimiter(new MemoryRateLimiter(BUDGET, new FixedClock()), new RecordingServiceLog());
  });

  /** Trusts a header for the caller's name. */
  const app = express()
    .use(responseHeaders(false), entryChecks(NETWORKS, new RecordingMetrics(), new RecordingServiceLog()))
    .use((received, response, next) => {
      const name = received.header('name');
      if (name !== undefined) identifyCaller(response, name);
      next();
    })
    .get('/', async (_received, response) => {
      if (await limits.admit(response)) respondWithData(response, {});
    });

  const send = (name?: string) => {
    const requested = request(app).get('/');
    return name === undefined ? requested : requested.set('name', name);
  };

  it('counts by authenticated principal, else by address', async () => {
    for (const name of ['one', 'two', undefined]) {
      for (let nth = 0; nth < 3; nth += 1) expectData(await send(name));
      const { details } = expectError(await send(name), 429, 'RATE_LIMITED');
      expect(details).to.deep.equal({ retryAfterMs: 1000, limit: 3, windowSeconds: 3, scope: 'caller' });
    }
    expectData(await send('three'));
    expect(limits.refused).to.equal(3);
  });
});

describe('callerKey', () => {
  it('uses the principal, regardless of the address', () => {
    const call = { principal: 'desk-7' };
    for (const remoteAddress of ['10.1.2.3', '2001:db8::1', null]) {
      expect(callerKey({ ...call, remoteAddress })).to.equal('principal:desk-7');
    }
  });

  it('uses the address if unauthenticated, and never collides with a principal', () => {
    expect(callerKey({ principal: null, remoteAddress: '10.1.2.3' })).to.equal('address:10.1.2.3');
    const posing = callerKey({ principal: 'address:10.1.2.3', remoteAddress: null });
    expect(posing).to.equal('principal:address:10.1.2.3');
  });
});

describe('addressKey', () => {
  for (const [address, key] of [
    ['10.1.2.3', '10.1.2.3'],
    ['127.0.0.1', '127.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:DB8:0001:0002::7', '2001:db8:1:2::/64'],
    ['2001:db8::7', '2001:db8:0:0::/64'],
    ['2001:db8:0:0:1::', '2001:db8:0:0::/64'],
    ['fd00:0:0:9::1', 'fd00:0:0:9::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.33', '64:ff9b:0:0::/64'],
    ['', ''],
  ] as const) {
    it(`of ${address === '' ? 'a connection that is gone' : address} is ${key}`, () => {
      expect(addressKey(address)).to.equal(`address:${key}`);
    });
  }

  it('is equal for all addresses of an IPv6 /64, and different for any other /64', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16));
    const half = fc.array(group, { minLength: 4, maxLength: 4 }).map((groups) => groups.join(':'));
    fc.assert(
      fc.property(half, half, half, half, (network, other, host, neighbour) => {
        expect(addressKey(`${network}:${host}`)).to.equal(addressKey(`${network}:${neighbour}`));
        if (network !== other) expect(addressKey(`${network}:${host}`)).not.to.equal(addressKey(`${other}:${host}`));
      }),
    );
  });
});
