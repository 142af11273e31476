import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SINCE_KEY } from '../../../src/adapters/auth/redis-replay-guard.ts';
import type { Adapters } from '../../../src/app/adapters.ts';
import type { RunningService } from '../../../src/app/lifecycle.ts';
import { FixedClock } from '../../doubles/fixed-clock.ts';
import { MemoryAuditSink } from '../../doubles/memory-audit-sink.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { newCall, sendCall, writeAuthFiles } from '../../harness/authenticated-caller.ts';
import { startSampleHere } from '../../harness/start-here.ts';
import { describeWithRedis } from '../../redis/describe-with-redis.ts';
import { linkTo } from '../../redis/link-to.ts';
import { RedisServer } from '../../redis/redis-server.ts';
import { until } from '../../redis/until.ts';

const UNAVAILABLE = { status: 503, reason: 'REPLAY_GUARD_UNAVAILABLE' };
const REPLAYED = { status: 401, reason: 'REPLAYED' };

describeWithRedis('A service with mutual authentication and a replay guard in Redis', () => {
  let redis: RedisServer;
  let folder: string;
  let log: RecordingServiceLog;
  const services: RunningService[] = [];

  before(async () => {
    redis = await RedisServer.start();
  });
  after(() => redis.remove());
  beforeEach(async () => {
    await redis.startAgainIfEnded();
    await redis.command('FLUSHALL');
    // As if shared by replicas for a minute.
    await redis.command('SET', SINCE_KEY, '1');
    folder = mkdtempSync(join(tmpdir(), 'signing-service-auth-redis-'));
    log = new RecordingServiceLog();
  });
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.stop()));
    rmSync(folder, { recursive: true });
  });

  async function start(
    environment: { readonly [name: string]: string } = {},
    replacements: Partial<Adapters> = {},
  ): Promise<string> {
    const settings = { SIGNING_DRAIN_DELAY_MS: '0', SIGNING_REDIS_URL: redis.url, ...writeAuthFiles(folder) };
    const adapters = { sink: new MemoryAuditSink(), log, ...replacements };
    const service = await startSampleHere({ ...settings, ...environment }, adapters);
    services.push(service);
    return service.url;
  }

  it('executes a request once that two replicas receive, one after the other or at the same time', async () => {
    const [one, two] = [await start(), await start()];
    const call = newCall();
    expect(await sendCall(one, call)).to.include({ status: 200, issue: null });
    expect(await sendCall(two, call)).to.include(REPLAYED);
    const together = newCall();
    const results = await Promise.all([one, two].map((url) => sendCall(url, together)));
    expect(results.map(({ status }) => status).toSorted()).to.deep.equal([200, 401]);
  });

  it('serves callers while Redis rejects the rate limit commands', async () => {
    const rules = '~signing-service:usage:* ~signing-service:replay:* +get +set +pexpire +hmget +hset +rename +info';
    const users = ['ACL', 'SETUSER', 'signing', 'reset', 'on', '>correct-h0rse'] as const;
    await redis.command(...users, ...rules.split(' '), '+zadd', '+zrevrangebyscore');
    const url = await start({
      SIGNING_REDIS_URL: redis.url.replace('//', '//signing:correct-h0rse@'),
      SIGNING_RATE_LIMIT_PER_CALLER: '5000',
    });
    for (const count of [1, 1, 10]) {
      const results = await Promise.all(Array.from({ length: count }, () => sendCall(url)));
      expect(results.map(({ status }) => status)).to.deep.equal(results.map(() => 200));
    }
    const logged = log.events.filter(({ message }) => message.includes('Rate limits'));
    expect(logged.map(({ level }) => level)).to.deep.equal(['warn']);
  });

  it('logs when callers get 503 because Redis is unavailable, and when they are served again', async () => {
    const clock = new FixedClock(Date.now());
    const link = await linkTo(redis.url, { timings: { replyTimeoutMs: 5000, pauseMs: 1 } });
    const url = await start({}, { clock, redis: link });
    expect((await sendCall(url)).status).to.equal(200);
    await redis.kill();
    for (let sent = 0; sent < 3; sent += 1) expect(await sendCall(url)).to.include(UNAVAILABLE);
    const logged = () =>
      log.events.filter(({ message }) => /^(?:Requests|Replays of requests) with Signing/.test(message));
    expect(logged().map(({ level }) => level)).to.deep.equal(['error']);
    expect(logged()[0]?.message).to.include('503');

    await redis.startAgain();
    await until(async () => {
      clock.advance(1000);
      await sendCall(url);
      expect(logged().map(({ level }) => level)).to.deep.equal(['error', 'info']);
    });
  });

  it('does not execute a request twice, even if Redis loses its data in between', async () => {
    const url = await start();
    const call = newCall();
    expect((await sendCall(url, call)).status).to.equal(200);
    expect(await sendCall(url, call)).to.include(REPLAYED);
    await redis.kill();
    await redis.startAgain();
    expect(await sendCall(url, call)).to.include(UNAVAILABLE);
    expect(await sendCall(url, call)).to.include(REPLAYED);
    const logged = log.events.filter(({ message }) => message.startsWith('Redis may lack nonces'));
    expect(logged.map(({ level }) => level)).to.deep.equal(['warn']);
  });
});
