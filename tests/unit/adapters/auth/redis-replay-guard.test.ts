import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { REPLAY_PREFIX, RedisReplayGuard, SINCE_KEY } from '../../../../src/adapters/auth/redis-replay-guard.ts';
import { SystemClock } from '../../../../src/adapters/node/system-clock.ts';
import { type Redis, RedisError } from '../../../../src/adapters/redis/redis.ts';
import type { Clock } from '../../../../src/ports/clock.ts';
import { describeReplayGuardContract } from '../../../contracts/replay-guard-contract.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { describeWithRedis } from '../../../redis/describe-with-redis.ts';
import { linkTo } from '../../../redis/link-to.ts';
import { RedisServer } from '../../../redis/redis-server.ts';
import { until } from '../../../redis/until.ts';

const LIFE_MS = 30_000;
const REDIS = 'redis://127.0.0.1:1/0';
const INFO = `role:master\r\nmaster_replid2:${'0'.repeat(40)}\r\n`;

function guardOf(
  link: Pick<Redis, 'send'>,
  clock: Clock = new SystemClock(),
  log = new RecordingServiceLog(),
): RedisReplayGuard {
  return new RedisReplayGuard({ link, redis: REDIS, clock, log });
}

/** As in the service: claims wait for it. */
function begun(guard: RedisReplayGuard): RedisReplayGuard {
  void guard.start();
  return guard;
}

const emptied = (until: string) =>
  `Redis may lack nonces of earlier requests with Signing-Request-Auth: it is new, was emptied, restarted without its data, or failed over to a replica. Requests made until ${until} are rejected.`;

describe('RedisReplayGuard', () => {
  const clock = new FixedClock();
  const guardThat = (send: Redis['send']) => guardOf({ send }, clock);
  const key = { key: Buffer.alloc(32, 0xff), madeAt: clock.now(), until: clock.now() + LIFE_MS };
  const since = String(clock.now() - 1);

  it('treats a key as new only if Redis confirms it', async () => {
    for (const reply of [null, 'no', 0, []]) {
      expect(await guardThat(async () => [null, reply, null, since, INFO]).claim(key)).to.equal('seen');
    }
  });

  it('accepts only requests made after the time since which Redis has all keys', async () => {
    const later = new FixedClock(clock.now() + 2);
    const claimSince = (time: number) =>
      guardOf({ send: async () => [null, 'OK', null, String(time), INFO] }, later).claim(key);
    expect(await claimSince(key.madeAt + 2), 'nor anything made now').to.equal('unavailable');
    expect(await claimSince(key.madeAt + 1)).to.equal('too-old');
    expect(await claimSince(key.madeAt)).to.equal('too-old');
    expect(await claimSince(key.madeAt - 1)).to.equal('new');
  });

  it('is unavailable if the time since which Redis has all keys is missing or invalid', async () => {
    const now = clock.now();
    // The last is beyond what a replica a minute ahead writes.
    for (const reply of [undefined, null, '', '0x10', '-1', `${now}.5`, 7, [], String(now + 120_001)]) {
      const replies = reply === undefined ? [] : [null, 'OK', null, reply, INFO];
      expect(await guardThat(async () => replies).claim(key), String(reply)).to.equal('unavailable');
    }
    const ahead = guardThat(async () => [null, 'OK', null, String(now + 120_000), INFO]);
    expect(await ahead.unavailability()).to.match(/^Redis was found empty/);
  });

  it('is unavailable if Redis does not report whether it was promoted', async () => {
    for (const info of [null, '', 'role:master\r\n', 7]) {
      const guard = guardThat(async () => [null, 'OK', null, since, info]);
      expect(await guard.claim(key), String(info)).to.equal('unavailable');
    }
  });

  it('returns unavailable, never new, while Redis is unavailable, and reports the reason', async () => {
    const guard = guardThat(() => Promise.reject(new RedisError('no reply within 500 ms')));
    expect(await guard.claim(key)).to.equal('unavailable');
    expect(await guard.unavailability()).to.equal(
      'Redis, through which replicas share nonces: no reply within 500 ms.',
    );
  });

  describeWithRedis('with a real Redis', () => {
    let redis: RedisServer;
    const links: Redis[] = [];
    before(async () => {
      redis = await RedisServer.start();
    });
    after(() => redis.remove());
    afterEach(() => {
      for (const link of links.splice(0)) link.close();
    });

    async function newLink(): Promise<Redis> {
      const link = await linkTo(redis.url, { timings: { replyTimeoutMs: 5000, pauseMs: 0 } });
      links.push(link);
      return link;
    }

    let shared: Redis;
    beforeEach(async () => {
      await redis.command('FLUSHALL');
      shared = await newLink();
    });
    /** As if shared for more than a minute. */
    const rememberAll = () => redis.command('SET', SINCE_KEY, '1');
    const contractClock = new FixedClock();
    describeReplayGuardContract(contractClock, () => begun(guardOf(shared, contractClock)));

    /** Made after the guard began. */
    const fresh = (now = Date.now() + 10) => ({ key: randomBytes(32), madeAt: now, until: now + LIFE_MS });

    it('refuses a key on one replica that another has seen', async () => {
      await rememberAll();
      const one = begun(guardOf(await newLink()));
      const two = begun(guardOf(await newLink()));
      const claimed = fresh();
      expect(await one.claim(claimed)).to.equal('new');
      expect(await two.claim(claimed)).to.equal('seen');
      const raced = fresh();
      const claims = await Promise.all([one, two, one, two].map((guard) => guard.claim(raced)));
      expect(claims.filter((claim) => claim === 'new')).to.have.length(1);
    });

    it('sets an expiry on keys so that Redis does not fill up, and none on the time since which it has all', async () => {
      const claimed = fresh();
      await begun(guardOf(await newLink())).claim(claimed);
      const name = `${REPLAY_PREFIX}${claimed.key.toString('base64url')}`;
      // Kept for a minute after its life, which begins in 10 ms.
      expect(await redis.command('PTTL', name)).to.be.within(85_000, 90_011);
      expect(await redis.command('PTTL', SINCE_KEY)).to.equal(-1);
    });

    it('is unavailable while Redis is down, and for a minute after Redis returns empty', async () => {
      await rememberAll();
      const time = new FixedClock();
      const guard = begun(guardOf(await newLink(), time));
      const claimed = fresh(time.now() + 1);
      expect(await guard.claim(claimed)).to.equal('new');
      await redis.kill();
      expect(await guard.claim(claimed)).to.equal('unavailable');
      expect(await guard.unavailability()).to.include('Redis');
      await redis.startAgain();
      expect(await guard.claim(claimed)).to.equal('unavailable');
      expect(await guard.unavailability()).to.equal(
        `Redis was found empty or failed over, so requests made until ${new Date(time.now() + 60_000).toISOString()} are rejected: their nonces are unknown.`,
      );
      time.advance(60_001);
      expect(await guard.unavailability()).to.equal(null);
      expect(await guard.claim({ ...claimed, key: randomBytes(32) })).to.equal('too-old');
      expect(await guard.claim(fresh(time.now()))).to.equal('new');
    });

    it('accepts the first request after startup if Redis has the keys that other replicas saw', async () => {
      const time = new FixedClock();
      begun(guardOf(await newLink(), time));
      time.advance(60_001);
      const log = new RecordingServiceLog();
      const two = begun(guardOf(await newLink(), time, log));
      expect(await two.claim(fresh(time.now()))).to.equal('new');
      expect(log.events).to.deep.equal([]);
    });

    it('refuses requests that replicas may have accepted if Redis is empty at startup, and warns', async () => {
      const time = new FixedClock();
      const log = new RecordingServiceLog();
      const guard = begun(guardOf(await newLink(), time, log));
      expect(await guard.claim(fresh(time.now() + LIFE_MS))).to.equal('unavailable');
      const until = new Date(time.now() + 60_000).toISOString();
      expect(log.events.map(({ level, message }) => [level, message])).to.deep.equal([['warn', emptied(until)]]);
    });

    it('accepts nothing twice after a failover to a replica that lacks nonces, nor after the next one', async () => {
      const start = () => RedisServer.start(['--repl-diskless-sync-delay', '0']);
      const [one, two] = [await start(), await start()];
      const follow = (server: RedisServer, master: { readonly port: number }) =>
        server.command('REPLICAOF', '127.0.0.1', `${master.port}`);
      const isMaster = (server: RedisServer) => server.command('REPLICAOF', 'NO', 'ONE');
      const time = new FixedClock();
      /** As a replica of the service that comes to know this server. */
      const guardAt = async (server: RedisServer) => {
        const link = await linkTo(server.url, { timings: { replyTimeoutMs: 5000, pauseMs: 0 } });
        links.push(link);
        return begun(guardOf(link, time));
      };
      try {
        await one.command('SET', SINCE_KEY, '1');
        await follow(two, one);
        await until(async () => expect(await two.command('GET', SINCE_KEY)).to.equal('1'));
        for (const [master, next] of [
          [one, two],
          [two, one],
        ] as const) {
          await follow(next, { port: 1 });
          const lost = fresh(time.now() + 1);
          expect(await (await guardAt(master)).claim(lost)).to.equal('new');
          await isMaster(next);
          await follow(master, next);
          const guard = await guardAt(next);
          expect(await guard.claim(lost)).to.equal('unavailable');
          expect(await guard.claim(fresh(time.now() + LIFE_MS))).to.equal('unavailable');
          time.advance(60_001);
          expect(await guard.claim({ ...lost, key: randomBytes(32) })).to.equal('too-old');
          expect(await guard.claim(fresh(time.now()))).to.equal('new');
          await until(async () => expect(await master.command('GET', SINCE_KEY)).to.equal(`${time.now() - 1}`));
        }
      } finally {
        await Promise.all([one.remove(), two.remove()]);
      }
    });

    for (const behindMs of [25_000, -25_000]) {
      it(`accepts nothing twice after Redis is emptied, with one replica clock ${behindMs} ms behind`, async () => {
        const [time, other] = [new FixedClock(), new FixedClock()];
        other.set(time.now() - behindMs);
        const log = new RecordingServiceLog();
        await rememberAll();
        const one = begun(guardOf(await newLink(), time));
        const two = begun(guardOf(await newLink(), other, log));
        await two.unavailability();
        for (const clockOf of [time, other]) clockOf.advance(40_000);
        // Client clock ahead, within tolerance.
        const claimed = fresh(time.now() + LIFE_MS);
        expect(await one.claim(claimed)).to.equal('new');
        await redis.command('FLUSHALL');
        for (const guard of [two, one]) {
          expect(await guard.claim(claimed)).to.equal('unavailable');
          expect(await guard.claim(claimed)).to.equal('seen');
          await redis.command('DEL', `${REPLAY_PREFIX}${claimed.key.toString('base64url')}`);
        }
        const until = new Date(other.now() + 60_000).toISOString();
        expect(log.events.map(({ level, message }) => [level, message])).to.deep.equal([['warn', emptied(until)]]);
      });
    }
  });
});
