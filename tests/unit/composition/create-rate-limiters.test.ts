import { expect } from 'chai';
import { createContainer } from '../../../src/composition/container.ts';
import { readSettings } from '../../../src/composition/settings.ts';
import { REDIS_LINK } from '../../../src/composition/shared-parts.ts';
import { TOKENS as T } from '../../../src/composition/tokens.ts';
import { describeWithRedis } from '../../redis/describe-with-redis.ts';
import { RedisServer } from '../../redis/redis-server.ts';

/** The limiters of a service with these settings. */
async function limitersOf(environment: { readonly [name: string]: string }) {
  const container = createContainer(readSettings({ SIGNING_LOG_LEVEL: 'error', ...environment }));
  const callers = await container.getAsync(T.CallerRateLimiter);
  const accounts = await container.getAsync(T.AccountRateLimiter);
  const failures = await container.getAsync(T.FailureRateLimiter);
  return { callers, accounts, failures, link: await container.getAsync(REDIS_LINK) };
}

describe('createRateLimiters', () => {
  it('makes none where nothing is limited', async () => {
    expect(await limitersOf({})).to.deep.equal({ callers: null, accounts: null, failures: null, link: null });
  });

  it('makes those that the settings ask for, each for this process alone without Redis', async () => {
    const perCaller = await limitersOf({ SIGNING_RATE_LIMIT_PER_CALLER: '7', SIGNING_RATE_LIMIT_WINDOW_SECONDS: '60' });
    expect(perCaller.callers?.budget).to.deep.equal({ points: 7, windowSeconds: 60 });
    expect(perCaller.failures?.budget).to.deep.equal({ points: 7, windowSeconds: 60 });
    expect(perCaller.accounts).to.equal(null);
    expect(perCaller.callers?.sharing).to.deep.equal({ mode: 'alone' });
    const perAccount = await limitersOf({ SIGNING_RATE_LIMIT_PER_ACCOUNT: '9' });
    expect(perAccount.accounts?.budget).to.deep.equal({ points: 9, windowSeconds: 1 });
    expect(perAccount.callers).to.equal(null);
    expect(perAccount.failures).to.equal(null);
  });

  describeWithRedis('with Redis', () => {
    let redis: RedisServer;

    before(async () => {
      redis = await RedisServer.start();
    });
    after(() => redis.remove());

    it('shares callers and accounts between services, each by itself, and keeps failed proofs to each', async () => {
      const environment = {
        SIGNING_RATE_LIMIT_PER_CALLER: '4',
        SIGNING_RATE_LIMIT_PER_ACCOUNT: '6',
        SIGNING_RATE_LIMIT_WINDOW_SECONDS: '3600',
        SIGNING_REDIS_URL: redis.url,
      };
      const services = [await limitersOf(environment), await limitersOf(environment)];
      const granted = { callers: 0, accounts: 0, failures: 0 };
      for (let nth = 0; nth < 7; nth += 1) {
        for (const service of services) {
          for (const which of ['callers', 'accounts', 'failures'] as const) {
            const [grant] = (await service[which]?.take([{ key: 'same', points: 1, fewest: 1 }])) ?? [];
            granted[which] += grant?.granted ?? 0;
          }
        }
      }
      expect(granted).to.deep.equal({ callers: 4, accounts: 6, failures: 8 });
      expect(services[0]?.callers?.sharing).to.include({ mode: 'shared', state: 'current' });
      for (const { link } of services) link?.close();
    });
  });
});
