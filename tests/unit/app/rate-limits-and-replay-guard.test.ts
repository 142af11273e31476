import { expect } from 'chai';
import { AdapterSet } from '../../../src/app/adapters.ts';
import { readSettings } from '../../../src/app/settings/settings.ts';
import { describeWithRedis } from '../../redis/describe-with-redis.ts';
import { RedisServer } from '../../redis/redis-server.ts';

/** The limiters of these settings. */
async function limitersOf(environment: { readonly [name: string]: string }) {
  const adapters = new AdapterSet(readSettings({ SIGNING_LOG_LEVEL: 'error', ...environment }));
  return { ...(await adapters.get('limiters')), link: await adapters.get('redis') };
}

describe('createRateLimiters', () => {
  it('limits failed authentications to 600 at once, then ten a second, under any caller limit', async () => {
    for (const environment of [{}, { SIGNING_RATE_LIMIT_PER_CALLER: '1000000' }]) {
      const { failures } = await limitersOf(environment);
      const granted = await failures.take([{ key: 'address', points: 1000, minPoints: 1 }]);
      expect(granted).to.deep.equal([{ granted: 600, retryAfterMs: 100 }]);
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
            const [grant] = (await service[which]?.take([{ key: 'same', points: 1, minPoints: 1 }])) ?? [];
            granted[which] += grant?.granted ?? 0;
          }
        }
      }
      expect(granted).to.deep.equal({ callers: 4, accounts: 6 });
      for (const { failures } of services) {
        const [grant] = await failures.take([{ key: 'same', points: 1000, minPoints: 1 }]);
        expect(grant?.granted).to.equal(600);
      }
      expect(services[0]?.callers?.sharing).to.include({ shared: true, state: 'current' });
      for (const { link } of services) link?.close();
    });
  });
});
