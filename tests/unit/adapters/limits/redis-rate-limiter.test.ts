import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { MemoryRateLimiter } from '../../../../src/adapters/limits/memory-rate-limiter.ts';
import { RedisRateLimiter, RedisReport } from '../../../../src/adapters/limits/redis-rate-limiter.ts';
import { SystemClock } from '../../../../src/adapters/node/system-clock.ts';
import type { Redis, RedisReply } from '../../../../src/adapters/redis/redis.ts';
import type { RateBudget, RateLimiter } from '../../../../src/ports/rate-limiter.ts';
import { describeRateLimiterContract } from '../../../contracts/rate-limiter-contract.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { describeWithRedis } from '../../../redis/describe-with-redis.ts';
import { atTime, linkTo } from '../../../redis/link-to.ts';
import { RedisServer } from '../../../redis/redis-server.ts';
import { until } from '../../../redis/until.ts';
import { isSettled } from '../../domain/services/is-settled.ts';

/** A wait for Redis outlasts the test, except in tests of such waits. */
const NEVER_MS = 600_000;
/** The time of the Redis of the contract. */
const time = new FixedClock();

const KEY = 'signing-service:rate:account:alpha/main';

describeWithRedis('RedisRateLimiter', () => {
  const links: Redis[] = [];
  let server: RedisServer;
  let made = 0;

  before(async () => {
    server = await RedisServer.start();
  });
  after(() => server.remove());
  beforeEach(async () => {
    await server.startAgainIfEnded();
    await server.command('FLUSHALL');
  });
  afterEach(() => {
    for (const link of links.splice(0)) link.close();
  });

  /** The limiter of one replica. */
  async function replica(
    budget: RateBudget,
    {
      name = 'account',
      through = (link: Redis): ReturnType<typeof atTime> => link,
      user = '',
      replyTimeoutMs = NEVER_MS,
    } = {},
  ) {
    const timings = { replyTimeoutMs, pauseMs: 100 };
    const link = await linkTo(server.url.replace('//', `//${user}`), { timings });
    links.push(link);
    const [clock, log] = [new SystemClock(), new RecordingServiceLog()];
    const report = new RedisReport(server.url, clock, log);
    const own = new MemoryRateLimiter(budget, clock);
    return { limiter: new RedisRateLimiter({ name, link: through(link), own, report, retryMs: 100 }), log };
  }

  /** A limiter whose Redis replies with this. */
  function responded(reply: RedisReply) {
    const [clock, log] = [new SystemClock(), new RecordingServiceLog()];
    const report = new RedisReport('redis://127.0.0.1:1/0', clock, log);
    const own = new MemoryRateLimiter({ points: 2, windowSeconds: 60 }, clock);
    const link = { send: async () => [reply], isClosed: false };
    return { limiter: new RedisRateLimiter({ name: 'account', link, own, report }), log };
  }

  const take = async (limiter: RateLimiter, points = 1, key = 'alpha/main') =>
    (await limiter.take([{ key, points, minPoints: 1 }]))[0]?.granted;

  describeRateLimiterContract('RedisRateLimiter', {
    make: async (budget) => {
      made += 1;
      return (await replica(budget, { name: `contract-${made}`, through: (link) => atTime(link, time) })).limiter;
    },
    wait: (milliseconds) => time.advance(milliseconds),
  });

  it('shares one budget between replicas', async () => {
    const budget = { points: 6, windowSeconds: 60 };
    const [{ limiter: one }, { limiter: two }] = [await replica(budget), await replica(budget)];
    const pending = [one, two, one, two, one, two, one, two].map((limiter) => take(limiter));
    const granted = await Promise.all(pending);
    expect(granted.filter((points) => points === 1)).to.have.length(6);
    expect(one.sharing).to.deep.equal({ shared: true, state: 'current', apartSince: null, reason: null });
  });

  it('stores each bucket under a key that expires when it is full', async () => {
    const { limiter } = await replica({ points: 10, windowSeconds: 100 });
    await take(limiter, 3);
    expect(await server.command('KEYS', '*')).to.deep.equal([KEY]);
    expect(await server.command('PTTL', KEY)).to.be.within(20_000, 30_001);
    await take(limiter, 0, 'alpha/never');
    expect(await server.command('DBSIZE')).to.equal(1);
  });

  it('falls back at once while Redis is down, logs it once, and shares again without a request', async () => {
    const { limiter, log } = await replica({ points: 2, windowSeconds: 60 });
    expect(await take(limiter)).to.equal(1);
    await server.kill();
    const granted = [await take(limiter), await take(limiter), await take(limiter)];
    expect(granted).to.deep.equal([1, 1, 0]);
    const { sharing } = limiter;
    expect(sharing).to.include({ shared: true, state: 'apart' });
    expect(sharing)
      .to.have.property('reason')
      .that.matches(/^Redis: /);
    expect(log.events.map(({ level }) => level)).to.deep.equal(['warn']);
    expect(log.events[0]?.message).to.match(/^Rate limits are currently not shared\. Redis: /);

    await server.startAgain();
    await until(() => {
      expect(limiter.sharing).to.deep.equal({ shared: true, state: 'current', apartSince: null, reason: null });
    });
    expect(log.events.map(({ level }) => level)).to.deep.equal(['warn', 'info']);
    expect(await take(limiter)).to.equal(1);
    expect(await server.command('EXISTS', KEY)).to.equal(1);
  });

  it('delays only the requests sent to a hanging Redis, up to the timeout', async () => {
    const { limiter } = await replica({ points: 100, windowSeconds: 60 }, { replyTimeoutMs: 150 });
    await take(limiter);
    server.pause();
    try {
      expect(await Promise.all([take(limiter), take(limiter)])).to.deep.equal([1, 1]);
      // A retry meanwhile times out, too.
      for (let count = 0; count < 30; count += 1) {
        expect(await isSettled(take(limiter, 0))).to.equal(true);
        await sleep(10);
      }
    } finally {
      server.goOn();
    }
    await until(() => expect(limiter.sharing).to.include({ state: 'current' }));
  });

  it('ignores values written by others', async () => {
    const { limiter } = await replica({ points: 2, windowSeconds: 60 });
    for (const text of ['', 'x', '-5 0', '1e9 1', '1.2.3 4', '0 nan', '99999999999 x', '1 -7']) {
      await server.command('SET', KEY, text);
      expect(await take(limiter, 2), text).to.equal(2);
    }
    const future = String(Number(await server.command('TIME').then((time) => (time as string[])[0])) + 3600);
    await server.command('SET', KEY, `2 ${future}000000`);
    expect(await take(limiter, 2)).to.equal(0);
    expect(await server.command('PTTL', KEY)).to.be.within(1, 60_001);
    await server.command('SET', KEY, '1000000 1');
    expect(await take(limiter, 2)).to.equal(2);
  });

  it('shares again once it has the missing permission', async () => {
    await server.command('ACL', 'SETUSER', 'late', 'on', '>correct-h0rse', '~*', '+get', '+set', '+time');
    const { limiter } = await replica({ points: 2, windowSeconds: 60 }, { user: 'late:correct-h0rse@' });
    await take(limiter);
    expect(limiter.sharing).to.include({ state: 'apart' });
    await server.command('ACL', 'SETUSER', 'late', '+eval');
    await until(() => expect(limiter.sharing).to.include({ state: 'current' }));
    // The key of the probe expires within a millisecond.
    await until(async () => expect(await server.command('KEYS', '*')).to.deep.equal([]));
  });

  it('falls back on an unexpected reply', async () => {
    for (const reply of [null, 'OK', [], [[1]], [[9, 0]], [[-1, 0]], [['1', '0']], [[1, 0.5]]] as RedisReply[]) {
      const { limiter, log } = responded(reply);
      expect([await take(limiter), await take(limiter), await take(limiter)]).to.deep.equal([1, 1, 0]);
      expect(log.events[0]?.message).to.include('unexpected reply from the script');
    }
  });
});
