import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SINCE_KEY } from '../../../src/adapters/auth/redis-replay-guard.ts';
import type { RunningService } from '../../../src/app/lifecycle.ts';
import { issueToken, newNonce, signRequest, TestKey } from '../../authentication/parties.ts';
import { MemoryAuditSink } from '../../doubles/memory-audit-sink.ts';
import { RecordingServiceLog } from '../../doubles/recording-service-log.ts';
import { bs58 } from '../../harness/base58.ts';
import { startSampleHere } from '../../harness/start-here.ts';
import { describeWithRedis } from '../../redis/describe-with-redis.ts';
import { RedisServer } from '../../redis/redis-server.ts';
import { until } from '../../redis/until.ts';

const AUTHORITY = new TestKey(0xa1);
const CLIENT = new TestKey(0xc1);
const SERVICE = new TestKey(0x5e);
const TARGET = '/api/v1/status';

describeWithRedis('A service with mutual authentication and a replay guard in Redis', () => {
  let redis: RedisServer;
  let folder: string;
  let log: RecordingServiceLog;
  let service: RunningService | null;

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
    service = null;
  });
  afterEach(async () => {
    await service?.stop();
    rmSync(folder, { recursive: true });
  });

  const expirationTime = new Date(Date.now() + 86_400_000).toISOString();
  const tokenOf = (username: string, { publicKey }: TestKey) =>
    issueToken(AUTHORITY, { username, publicKey, expirationTime });

  async function start(environment: { readonly [name: string]: string } = {}): Promise<string> {
    const files = {
      SIGNING_AUTH_AUTHORITIES_FILE: bs58.encode(AUTHORITY.publicKey),
      SIGNING_AUTH_KEY_FILE: SERVICE.seed.toString('hex'),
      SIGNING_AUTH_TOKEN_FILE: tokenOf('signing-service', SERVICE).toString('base64'),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
    const settings = {
      ...{ SIGNING_DRAIN_DELAY_MS: '0', SIGNING_AUTH: 'required', SIGNING_REDIS_URL: redis.url },
      ...Object.fromEntries(Object.keys(files).map((name) => [name, join(folder, name)])),
      ...environment,
    };
    service = await startSampleHere(settings, { sink: new MemoryAuditSink(), log });
    return service.url;
  }

  /** A new authenticated request. */
  function newRequest(): string {
    const claims = {
      token: tokenOf('desk-1', CLIENT),
      servicePublicKey: SERVICE.publicKey,
      time: Date.now() / 1000,
      nonce: newNonce(),
    };
    return signRequest(CLIENT, claims, { method: 'GET', target: TARGET, body: '' }).toString('base64');
  }

  /** Returns status and reason. */
  async function send(url: string, request = newRequest()): Promise<readonly [status: number, reason?: string]> {
    const response = await fetch(`${url}${TARGET}`, { headers: { 'Signing-Request-Auth': request } });
    const { error } = (await response.json()) as {
      readonly error?: { readonly details: { readonly reason?: string } };
    };
    return error === undefined ? [response.status] : [response.status, error.details.reason ?? ''];
  }

  it('serves callers while Redis rejects the rate limit commands', async () => {
    const rules = '~signing-service:usage:* ~signing-service:replay:* +get +set +del +pexpire +hget +hset +hscan';
    const users = ['ACL', 'SETUSER', 'signing', 'reset', 'on', '>correct-h0rse'] as const;
    await redis.command(...users, ...rules.split(' '), '+zadd', '+zrangebyscore');
    const url = await start({
      SIGNING_REDIS_URL: redis.url.replace('//', '//signing:correct-h0rse@'),
      SIGNING_RATE_LIMIT_PER_CALLER: '5000',
    });
    const end = performance.now() + 1500;
    while (performance.now() < end) {
      const responses = await Promise.all(Array.from({ length: 10 }, () => send(url)));
      expect(responses).to.deep.equal(responses.map(() => [200]));
    }
    const logged = log.events.filter(({ message }) => message.includes('Rate limits'));
    expect(logged.map(({ level }) => level)).to.deep.equal(['warn']);
  });

  it('logs when callers get 503 because Redis is unavailable, and when they are served again', async () => {
    const url = await start();
    expect(await send(url)).to.deep.equal([200]);
    await redis.kill();
    for (let sent = 0; sent < 3; sent += 1) expect(await send(url)).to.deep.equal([503, 'REPLAY_GUARD_UNAVAILABLE']);
    const logged = () =>
      log.events.filter(({ message }) => /^(?:Requests|Replays of requests) with Signing/.test(message));
    expect(logged().map(({ level }) => level)).to.deep.equal(['error']);
    expect(logged()[0]?.message).to.include('503');

    await redis.startAgain();
    await until(async () => {
      await send(url);
      expect(logged().map(({ level }) => level)).to.deep.equal(['error', 'info']);
    });
  });

  const losses = {
    'was emptied': () => redis.command('FLUSHALL'),
    'was started again without its data': async () => {
      await redis.kill();
      await redis.startAgain();
    },
  };
  for (const [what, lose] of Object.entries(losses)) {
    it(`does not execute a request twice, even if Redis ${what} in between`, async () => {
      const url = await start();
      const request = newRequest();
      expect(await send(url, request)).to.deep.equal([200]);
      expect(await send(url, request)).to.deep.equal([401, 'REPLAYED']);
      await lose();
      expect(await send(url, request)).to.deep.equal([503, 'REPLAY_GUARD_UNAVAILABLE']);
      expect(await send(url, request)).to.deep.equal([401, 'REPLAYED']);
      const logged = log.events.filter(({ message }) => message.startsWith('Redis has no nonces'));
      expect(logged.map(({ level }) => level)).to.deep.equal(['warn']);
    });
  }
});
