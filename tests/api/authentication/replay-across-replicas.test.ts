import { expect } from 'chai';
import { RedisReplayGuard, ReplayReport, SINCE_KEY } from '../../../src/adapters/auth/redis-replay-guard.ts';
import { parseRedisUrl } from '../../../src/adapters/redis/redis-address.ts';
import { loadRedisClient } from '../../../src/adapters/redis/redis-connection.ts';
import { RedisLink } from '../../../src/adapters/redis/redis-link.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { clientClaims, exchange, startAuthenticatedService } from '../../harness/authenticated-service.ts';
import type { RunningService } from '../../harness/running-service.ts';
import { DATA_A } from '../../harness/sample-accounts.ts';
import { describeWithRedis } from '../../redis/describe-with-redis.ts';
import { RedisServer } from '../../redis/redis-server.ts';

const REQUEST = {
  method: 'POST',
  target: '/api/v1/sign',
  body: JSON.stringify({ platformId: 'alpha', accountId: 'main', data: DATA_A }),
};

describeWithRedis('A request that is sent to two replicas', () => {
  let redis: RedisServer;
  let links: readonly RedisLink[];
  let replicas: readonly RunningService[];

  before(async () => {
    redis = await RedisServer.start();
    // As if shared by replicas for a minute.
    await redis.command('SET', SINCE_KEY, '1');
    const address = parseRedisUrl(redis.url);
    if (address === null) throw new Error(`${redis.url} is none.`);
    const library = await loadRedisClient();
    links = [0, 1].map(() => new RedisLink({ address, passwordFile: null, library }));
    replicas = await Promise.all(
      links.map((link) =>
        startAuthenticatedService({
          guard: (clock) => {
            const report = new ReplayReport(address.shown, clock, new RecordingServiceLog());
            const guard = new RedisReplayGuard({ link, clock, report });
            void guard.start();
            return guard;
          },
        }),
      ),
    );
  });
  after(async () => {
    await Promise.all(replicas.map((replica) => replica.close()));
    for (const link of links) link.close();
    await redis.remove();
  });

  const [first, second] = [0, 1].map((index) => () => replicas[index] as RunningService) as [
    () => RunningService,
    () => RunningService,
  ];

  it('is executed by one and refused by the other', async () => {
    const claims = clientClaims(first().clock.now());
    const done = await exchange(first(), { ...REQUEST, claims });
    expect(done.status).to.equal(200);
    expect(done.issue).to.equal(null);
    const replayed = await exchange(second(), { ...REQUEST, claims });
    expect(replayed.status).to.equal(401);
    expect(replayed.json.error.details.reason).to.equal('REPLAYED');
    expect(second().records.entries.filter(({ outcome }) => outcome === 'success')).to.deep.equal([]);
  });

  it('is executed once if both receive it at the same time', async () => {
    const claims = clientClaims(first().clock.now());
    const responses = await Promise.all(
      [first(), second()].map((replica) => exchange(replica, { ...REQUEST, claims })),
    );
    expect(responses.map(({ status }) => status).toSorted()).to.deep.equal([200, 401]);
  });
});
