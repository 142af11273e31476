import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { RedisReplayGuard, SINCE_KEY } from '../../../../src/adapters/auth/redis-replay-guard.ts';
import { BUDGETS, RATES } from '../../../../src/adapters/limits/ledger-kind.ts';
import { RedisWindowLedger } from '../../../../src/adapters/limits/redis-window-ledger.ts';
import { SystemClock } from '../../../../src/adapters/node/system-clock.ts';
import { REDIS_ROWS } from '../../../../src/app/doctor/redis.ts';
import { runRows } from '../../../../src/app/doctor/rows.ts';
import { readSettings } from '../../../../src/app/settings/settings.ts';
import { demandOf } from '../../../contracts/window-ledger-contract.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { TEST_CERTIFICATE } from '../../../harness/certificates.ts';
import { freePort } from '../../../programs/free-port.ts';
import { describeWithRedis } from '../../../redis/describe-with-redis.ts';
import { linkTo } from '../../../redis/link-to.ts';
import { RedisServer } from '../../../redis/redis-server.ts';
import { type Replica, Replicas, sign } from '../../../redis/replicas.ts';
import { until } from '../../../redis/until.ts';

const PASSWORD = 'correct-h0rse';

/** Permissions from docs/operators/replicas.md. */
const RULES =
  '~signing-service:usage:* ~signing-service:rate:* ~signing-service:budget:* ~signing-service:replay:* +get +set +pexpire +hmget +hset +rename +zadd +zrevrangebyscore +eval +time +info';

describeWithRedis('Access to Redis', () => {
  const replicas = new Replicas();
  let redis: RedisServer;
  let tlsPort: number;
  let folder: string;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'redis-access-'));
    tlsPort = await freePort();
    const { certFile, keyFile } = TEST_CERTIFICATE;
    redis = await RedisServer.start([
      ...['--tls-port', String(tlsPort), '--tls-auth-clients', 'no'],
      ...['--tls-cert-file', certFile, '--tls-key-file', keyFile, '--tls-ca-cert-file', certFile],
    ]);
    await redis.command('ACL', 'SETUSER', 'signing', 'on', `>${PASSWORD}`, ...RULES.split(' '));
  });
  after(async () => {
    await redis.remove();
    rmSync(folder, { recursive: true });
  });
  afterEach(() => replicas.stop());

  const urlFor = (credentials: string) => `redis://${credentials}@127.0.0.1:${redis.port}/0`;
  const isBehind = async (replica: Replica, reason: string) => {
    await until(() => expect(replica.log.events).to.have.length(1));
    expect(replica.log.events[0]?.message).to.include(`Redis: ${reason}`);
    expect(replica.ledger.sharing).to.include({ state: 'behind' });
    expect(JSON.stringify(replica.log.events)).not.to.match(/h0rse|b4ttery/);
  };
  const doctor = (environment: { readonly [name: string]: string }) =>
    runRows(REDIS_ROWS, { settings: readSettings(environment), now: Date.now() });

  it('works with the documented permissions', async () => {
    const one = await replicas.start('one', urlFor(`signing:${PASSWORD}`));
    const two = await replicas.start('two', urlFor(`signing:${PASSWORD}`));
    sign(one, 3);
    await until(async () => expect((await two.ledger.sum([])).totals.totalSigns).to.equal(3));
    await until(() => expect(one.ledger.sharing).to.include({ state: 'current' }));
    expect(JSON.stringify(one.log.events)).to.include('redis://signing:***@127.0.0.1').and.not.include('h0rse');
  });

  it('works with the documented permissions for limits, budgets and nonces', async () => {
    const link = await linkTo(urlFor(`signing:${PASSWORD}`));
    const [clock, log] = [new SystemClock(), new RecordingServiceLog()];
    const ledgerOf = (kind: typeof RATES) => new RedisWindowLedger({ kind, link, redis: redis.url, clock, log });
    const guard = new RedisReplayGuard({ link, redis: redis.url, clock, log });
    try {
      for (const kind of [BUDGETS, RATES]) {
        const charged = await ledgerOf(kind).charge([demandOf(1)]);
        expect(charged?.grants[0]?.granted).to.equal(1);
        await charged?.refund();
      }
      await guard.start();
      const madeAt = clock.now() + 10;
      // New to an empty Redis, which the guard cannot know.
      expect(await guard.claim({ key: Buffer.alloc(32), madeAt, until: madeAt + 1000 })).to.equal('unavailable');
      expect(await guard.unavailability()).to.match(/^Redis was found empty/);
      expect(log.events.map(({ level }) => level)).to.not.include('error');
      expect(await ledgerOf({ ...RATES, prefix: 'another:' }).charge([demandOf(1)])).to.equal(null);
      expect(log.events.at(-1)?.message).to.include('the user lacks a permission that this service needs');
    } finally {
      link.close();
    }
  });

  it('fails with a wrong password, without showing it', async () => {
    const one = await replicas.start('one', urlFor('signing:wrong-b4ttery'));
    sign(one, 1);
    await isBehind(one, 'user or password rejected (WRONGPASS)');
    expect(one.ledger.totals().totalSigns).to.equal(1);
  });

  it('reads the password from a file for each connection', async () => {
    const passwordFile = join(folder, 'password');
    const one = await replicas.start('one', urlFor('signing'), { passwordFile });
    await isBehind(one, 'the file in SIGNING_REDIS_PASSWORD_FILE cannot be read (ENOENT)');
    writeFileSync(passwordFile, `${PASSWORD}\n`);
    await until(() => expect(one.ledger.sharing).to.include({ state: 'current' }));
  });

  it('is reported as lost while Redis is out of memory, and as restored afterwards', async () => {
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    const one = await replicas.start('one', redis.url);
    sign(one, 1);
    await isBehind(one, 'no memory left for writes (maxmemory) (OOM)');
    await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    await until(() => expect(one.ledger.sharing).to.include({ state: 'current' }));
  });

  it('rejects an untrusted TLS certificate', async () => {
    const one = await replicas.start('one', `rediss://signing:${PASSWORD}@127.0.0.1:${tlsPort}`);
    await isBehind(one, 'unreachable (DEPTH_ZERO_SELF_SIGNED_CERT)');
  });

  it('is checked by doctor, which warns, or fails if callers depend on it', async () => {
    expect(await doctor({})).to.deep.equal([]);
    const [fine] = await doctor({ SIGNING_REDIS_URL: urlFor(`signing:${PASSWORD}`) });
    expect(fine).to.include({ check: 'redis', state: 'ok' });
    expect(fine?.message).to.include('redis://signing:***@127.0.0.1').and.include(' responds');
    const [refused] = await doctor({ SIGNING_REDIS_URL: urlFor('signing:wrong-b4ttery') });
    expect(refused).to.include({ check: 'redis', state: 'warning' });
    expect(JSON.stringify(refused)).to.include('WRONGPASS').and.not.include('b4ttery');
    const [gone] = await doctor({ SIGNING_REDIS_URL: 'redis://127.0.0.1:1' });
    expect(gone?.message).to.equal('redis://127.0.0.1:1/0: unreachable (ECONNREFUSED)');
    const [needed] = await doctor({ SIGNING_REDIS_URL: 'redis://127.0.0.1:1', SIGNING_AUTH: 'required' });
    expect(needed).to.include({ check: 'redis', state: 'fail' });
  });

  it('fails doctor when the start of stored nonces is invalid or in the future', async () => {
    const find = () => doctor({ SIGNING_REDIS_URL: urlFor(`signing:${PASSWORD}`), SIGNING_AUTH: 'required' });
    try {
      for (const since of ['soon', String(Date.now() + 10 * 60_000)]) {
        await redis.command('SET', SINCE_KEY, since);
        const [found] = await find();
        expect(found?.state, since).to.equal('fail');
        expect(found?.message).to.include(SINCE_KEY);
      }
      await redis.command('SET', SINCE_KEY, String(Date.now()));
      expect((await find())[0]?.state).to.equal('ok');
    } finally {
      await redis.command('DEL', SINCE_KEY);
    }
  });

  describe('checked by doctor', () => {
    const LIMITED = { SIGNING_RATE_LIMIT_PER_CALLER: '5', SIGNING_RATE_LIMIT_WINDOW_SECONDS: '3600' };
    const AUTHENTICATED = { SIGNING_AUTH: 'required' };
    const WITHOUT_LIMITS = RULES.replace(/ ~signing-service:rate:\*| \+eval| \+time/g, '');
    const WITHOUT_NONCES = RULES.replace(/ ~signing-service:replay:\*/g, '');
    let made = 0;

    /** Doctor's findings for a user with these permissions. */
    async function findings(rules: string, environment: { readonly [name: string]: string }) {
      made += 1;
      await redis.command('ACL', 'SETUSER', `user-${made}`, 'on', `>${PASSWORD}`, ...rules.split(' '));
      const found = await doctor({ SIGNING_REDIS_URL: urlFor(`user-${made}:${PASSWORD}`), ...environment });
      expect(JSON.stringify(found)).not.to.match(/h0rse/);
      return found;
    }

    it('passes with the documented permissions for the configuration', async () => {
      const wholes = [
        [RULES, { ...LIMITED, ...AUTHENTICATED }],
        [WITHOUT_LIMITS, AUTHENTICATED],
        [WITHOUT_NONCES, LIMITED],
      ] as const;
      for (const [rules, environment] of wholes) {
        const found = await findings(rules, environment);
        expect(found.map(({ state }) => state)).to.deep.equal(['ok']);
      }
    });

    it('names the only permission that is missing', async () => {
      for (const name of RULES.match(/(?<=\+)\w+/g) ?? []) {
        const [found] = await findings(RULES.replace(` +${name}`, ''), { ...LIMITED, ...AUTHENTICATED });
        expect(found?.state, name).to.equal(name === 'info' ? 'fail' : 'warning');
        expect(found?.message).to.match(new RegExp(`[:,] ${name.toUpperCase()}$`));
        expect(found?.remedy).to.include(`+${name} `);
      }
    });

    it('warns when rate limits are per replica, and fails when nonces cannot be looked up', async () => {
      const [limits, ...more] = await findings(WITHOUT_LIMITS, { ...LIMITED, ...AUTHENTICATED });
      expect(more).to.deep.equal([]);
      expect(limits?.state).to.equal('warning');
      expect(limits?.message).to.include('rate limits').and.include('signing-service:rate:').and.include('EVAL');
      const [nonces] = await findings(WITHOUT_NONCES, AUTHENTICATED);
      expect(nonces?.state).to.equal('fail');
      expect(nonces?.message).to.include('signing-service:replay:').and.include('SET');
    });

    it('fails when writes are refused for lack of memory', async () => {
      await redis.command('CONFIG', 'SET', 'maxmemory', '1');
      try {
        const found = await findings(RULES, { ...LIMITED, ...AUTHENTICATED });
        expect(found.map(({ state }) => state)).to.deep.equal(['warning', 'warning', 'fail']);
        for (const { message } of found) expect(message).to.include('OOM');
      } finally {
        await redis.command('CONFIG', 'SET', 'maxmemory', '0');
      }
    });

    it('leaves nothing in Redis for more than a second', async () => {
      await redis.command('FLUSHALL');
      await findings(RULES, { ...LIMITED, ...AUTHENTICATED });
      const keys = (await redis.command('KEYS', '*')) as string[];
      // -2: expired meanwhile.
      for (const key of keys)
        expect(await redis.command('PTTL', key), key)
          .to.be.within(-2, 1000)
          .and.not.equal(-1);
    });
  });
});
