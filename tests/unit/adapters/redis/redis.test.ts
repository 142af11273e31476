import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'node:tls';
import { expect } from 'chai';
import { type Redis, type RedisCommand, RedisError, replyError } from '../../../../src/adapters/redis/redis.ts';
import { TEST_CERTIFICATE } from '../../../harness/certificates.ts';
import { describeWithRedis } from '../../../redis/describe-with-redis.ts';
import { linkTo } from '../../../redis/link-to.ts';
import { RedisProxy } from '../../../redis/redis-proxy.ts';
import { RedisServer } from '../../../redis/redis-server.ts';

/** Message of the RedisError that rejects `work`. */
async function getError(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(RedisError);
  return (error as RedisError).message;
}

const PAUSED = { replyTimeoutMs: 5000, pauseMs: 3000 };
const PING: readonly RedisCommand[] = [['PING']];

describe('Redis', () => {
  const VARIABLE = 'NODE_TLS_REJECT_UNAUTHORIZED';
  const before = process.env[VARIABLE];
  afterEach(() => {
    if (before === undefined) delete process.env[VARIABLE];
    else process.env[VARIABLE] = before;
  });

  it('sends nothing to an untrusted server, regardless of NODE_TLS_REJECT_UNAUTHORIZED', async () => {
    process.env[VARIABLE] = '0';
    let received = '';
    const files = { cert: readFileSync(TEST_CERTIFICATE.certFile), key: readFileSync(TEST_CERTIFICATE.keyFile) };
    const server = createServer(files, (socket) => {
      socket
        .on('error', () => undefined)
        .on('data', (chunk) => {
          received += chunk.toString();
        });
    }).on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const redis = await linkTo(`rediss://signing:hunter2@127.0.0.1:${(server.address() as AddressInfo).port}`);
    try {
      expect(await getError(redis.send(PING))).to.equal('unreachable (DEPTH_ZERO_SELF_SIGNED_CERT)');
      expect(received).to.equal('');
    } finally {
      redis.close();
      server.close();
    }
  });

  describe('replyError', () => {
    /** Error of a command in a script, as Redis 5.0.14 and 6.2.16 send it. */
    const inScript = (error: string) =>
      `ERR Error running script (call to f_bfc0314ef6070c6681d405a715d90addb7b22223): @user_script:${error}`;
    const OF_COMMAND = {
      NOPERM: 'NOPERM this user has no permissions to access one of the keys used as arguments',
      WRONGTYPE: inScript('1: WRONGTYPE Operation against a key holding the wrong kind of value'),
      ERR: inScript("2: @user_script: 2: The user executing the script can't run this command or subcommand"),
    };
    const OF_SERVER = {
      READONLY: inScript("2: @user_script: 2: -READONLY You can't write against a read only replica."),
      NOREPLICAS: inScript('2: @user_script: 2: -NOREPLICAS Not enough good replicas to write.'),
      OOM: inScript("2: @user_script: 2: -OOM command not allowed when used memory > 'maxmemory'.   "),
      LOADING: 'LOADING Redis is loading the dataset in memory',
      MASTERDOWN: "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
      MOVED: 'MOVED 3999 127.0.0.1:6381',
      NOAUTH: 'NOAUTH Authentication required.',
    };

    it('tells errors of a command from those of the server', () => {
      for (const [code, text] of Object.entries(OF_COMMAND))
        expect(replyError(new Error(text))).to.include({ code, isOfCommand: true });
      for (const [code, text] of Object.entries(OF_SERVER))
        expect(replyError(new Error(text))).to.include({ code, isOfCommand: false });
      expect(replyError(new Error('UNHEARDOF so it is'))).to.include({ code: null, isOfCommand: false });
    });

    it('contains nothing from the reply except a known code', () => {
      for (const text of ['UNHEARDOF h0rse', 'ERR h0rse', 'h0rse', '']) {
        expect(replyError(new Error(text)).message).not.to.match(/h0rse|UNHEARDOF/);
      }
    });
  });
});

describeWithRedis('Redis, with a server', () => {
  let server: RedisServer;
  let redis: Redis;

  before(async () => {
    server = await RedisServer.start();
  });
  after(() => server.remove());
  beforeEach(async () => {
    await server.startAgainIfEnded();
    redis = await linkTo(server.url, { timings: PAUSED });
  });
  afterEach(() => redis.close());

  /** Replaces `redis`. */
  async function relink(url: string, timings = PAUSED): Promise<void> {
    redis.close();
    redis = await linkTo(url, { timings });
  }
  const connections = async () => String(await server.command('CLIENT', 'LIST')).split('\n').length - 2;

  it('returns replies in the order of commands, to concurrent callers, over one connection', async () => {
    const pending = Array.from({ length: 50 }, (_, index) => redis.send([['ECHO', `${index}`], ['PING']]));
    const replies = await Promise.all(pending);
    expect(replies).to.deep.equal(replies.map((_, index) => [`${index}`, 'PONG']));
    expect(await connections()).to.equal(1);
  });

  it('reconnects after Redis closed an idle connection', async () => {
    await redis.send(PING);
    await server.kill();
    await server.startAgain();
    expect(await redis.send(PING)).to.deep.equal(['PONG']);
  });

  it('fails at once during the pause after a failure, then retries', async () => {
    await relink(server.url, { replyTimeoutMs: 5000, pauseMs: 500 });
    await server.kill();
    const reason = await getError(redis.send(PING));
    expect(reason).to.equal('unreachable (ECONNREFUSED)');
    await server.startAgain();
    expect(await getError(redis.send(PING))).to.equal(reason);
    await sleep(550);
    expect(await redis.send(PING)).to.deep.equal(['PONG']);
  });

  it('lets one call wait for a hanging server, and no other one until it responds', async () => {
    // So that it hangs while connecting, too.
    await server.command('ACL', 'SETUSER', 'slow', 'on', '>p4ss', '+ping');
    await relink(server.url.replace('//', '//slow:p4ss@'), { replyTimeoutMs: 300, pauseMs: 400 });
    server.pause();
    try {
      expect(await getError(redis.send(PING))).to.equal('no reply within 300 ms');
      await sleep(450);
      const waiting = redis.send(PING);
      const began = performance.now();
      for (let sent = 0; sent < 5; sent += 1) await getError(redis.send(PING));
      expect(performance.now() - began).to.be.below(200);
      await getError(waiting);
    } finally {
      server.goOn();
    }
    await sleep(450);
    expect(await redis.send(PING)).to.deep.equal(['PONG']);
    expect(await connections(), 'abandoned ones are closed').to.equal(1);
  });

  it('keeps the connection for others when Redis rejects a command', async () => {
    await server.command('ACL', 'SETUSER', 'few', 'on', '>correct-h0rse', '~few:*', '+set', '+ping', '+client|id');
    await relink(server.url.replace('//', '//few:correct-h0rse@'));
    const ids = await redis.send([['CLIENT', 'ID']]);
    const refused: readonly (readonly [RedisCommand, code: string | null])[] = [
      [['GET', 'few:a'], 'NOPERM'],
      [['SET', 'many:a', '1'], 'NOPERM'],
      [['SET', 'few:a'], 'ERR'],
    ];
    for (const [command, code] of refused) {
      const pending = [redis.send(PING), redis.send([command]), redis.send(PING)] as const;
      const [before, failure, after] = await Promise.allSettled(pending);
      expect(failure.status === 'rejected' && (failure.reason as RedisError).code, command.join(' ')).to.equal(code);
      for (const other of [before, after]) expect(other).to.deep.equal({ status: 'fulfilled', value: ['PONG'] });
    }
    expect(await redis.send([['CLIENT', 'ID']])).to.deep.equal(ids);
  });

  it('connects again when Redis rejects a command that is part of connecting', async () => {
    await server.command('ACL', 'SETUSER', 'one', 'on', '>p4ss', '+ping', '-select');
    await relink(`${server.url.replace('//', '//one:p4ss@')}/1`, { replyTimeoutMs: 5000, pauseMs: 0 });
    expect(await getError(redis.send(PING))).to.include('(NOPERM)');
    await server.command('ACL', 'SETUSER', 'one', '+select');
    expect(await redis.send(PING)).to.deep.equal(['PONG']);
  });

  it('takes neither a user without password, which may be one, nor a wrong password file', async () => {
    const open = async (address: string, passwordFile: string | null = null) => {
      redis.close();
      redis = await linkTo(`redis://${address}@127.0.0.1:${server.port}`, { passwordFile });
      return getError(redis.send(PING));
    };
    for (const user of ['s3cret', 's3cret:', 's3%63ret']) {
      expect(await open(user))
        .to.include('redis://:PASSWORD@host')
        .and.not.match(/cret/);
    }
    expect(await open('user', '/nowhere')).to.match(/SIGNING_REDIS_PASSWORD_FILE cannot be read \(ENOENT\)/);
    expect(await open('user', '/dev/null')).to.match(/SIGNING_REDIS_PASSWORD_FILE is empty$/);
  });

  it('pauses when Redis cannot serve any caller', async () => {
    await redis.send(PING);
    await server.command('REPLICAOF', '127.0.0.1', '1');
    try {
      const reason = 'read-only replica (READONLY)';
      expect(await getError(redis.send([['SET', 'a', '1']]))).to.equal(reason);
      expect(await getError(redis.send(PING))).to.equal(reason);
    } finally {
      await server.command('REPLICAOF', 'NO', 'ONE');
    }
  });

  it('reaches the new master behind its address when the old one no longer takes writes', async () => {
    const two = await RedisServer.start();
    const proxy = await RedisProxy.start(server);
    await relink(proxy.url, { replyTimeoutMs: 5000, pauseMs: 0 });
    const write: RedisCommand = ['EVAL', "return redis.call('SET', KEYS[1], '1')", '1', 'a'];
    try {
      await redis.send([write]);
      await server.command('REPLICAOF', '127.0.0.1', '1');
      proxy.leadTo(two);
      expect(await getError(redis.send([write]))).to.include('(READONLY)');
      await redis.send([write]);
      expect(await two.command('EXISTS', 'a')).to.equal(1);
    } finally {
      await server.command('REPLICAOF', 'NO', 'ONE');
      await proxy.close();
      await two.remove();
    }
  });

  it('rejects pending and later commands once closed', async () => {
    const pending = redis.send(PING);
    redis.close();
    redis.close();
    expect(await getError(pending)).to.equal('the connection was closed');
    expect(await getError(redis.send(PING))).to.equal('the connection was closed');
  });
});
