import { expect } from 'chai';
import { AdapterSet } from '../../../src/app/adapters.ts';
import { readSettings } from '../../../src/app/settings/settings.ts';
import type { RateLimiter } from '../../../src/ports/window-ledger.ts';
import { describeWithRedis } from '../../redis/describe-with-redis.ts';
import { RedisServer } from '../../redis/redis-server.ts';

/** The limiters of these settings. */
async function limitersOf(environment: { readonly [name: string]: string }) {
  const adapters = new AdapterSet(readSettings({ SIGNING_LOG_LEVEL: 'error', ...environment }));
  return { ...(await adapters.get('limiters')), link: await adapters.get('redis') };
}

/** Points that one key is granted. */
async function take(limiter: RateLimiter | null, units: number): Promise<number> {
  const { points: maxUnits = 0, windowSeconds = 0, ledger } = limiter ?? {};
  const demand = { key: 'same', units, minUnits: 1, maxUnits, exponent: 0, windowSeconds };
  return (await ledger?.charge([demand]))?.grants[0]?.granted ?? 0;
}

describe('createRateLimiters', () => {
  it('limits failed authentications to 600 within a minute, under any caller limit', async () => {
    for (const environment of [{}, { SIGNING_RATE_LIMIT_PER_CALLER: '1000000' }]) {
      const { failures } = await limitersOf(environment);
      expect(await take(failures, 1000)).to.equal(600);
    }
  });

  describeWithRedis('with Redis', () => {
    let redis: RedisServer;

    before(async () => {
      redis = await RedisServer.start();
    });
    after(() => redis.remove());

    it('shares separate caller and account limits between services, but not failed authentications', async () => {
      const environment = {
        SIGNING_RATE_LIMIT_PER_CALLER: '4',
        SIGNING_RATE_LIMIT_PER_ACCOUNT: '6',
        SIGNING_RATE_LIMIT_WINDOW_SECONDS: '3600',
        SIGNING_REDIS_URL: redis.url,
      };
      const services = [await limitersOf(environment), await limitersOf(environment)];
      const granted = { callers: 0, accounts: 0 };
      for (let nth = 0; nth < 7; nth += 1) {
        for (const service of services) {
          for (const which of ['callers', 'accounts'] as const) {
            granted[which] += await take(service[which], 1);
          }
        }
      }
      expect(granted).to.deep.equal({ callers: 4, accounts: 6 });
      for (const { failures } of services) {
        expect(await take(failures, 1000)).to.equal(600);
      }
      expect(services[0]?.sharing).to.include({ shared: true, state: 'current' });
      for (const { link } of services) link?.close();
    });
  });
});
