import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type RedisCommand, RedisError } from '../../../../src/adapters/redis/redis-connection.ts';
import type { RedisLink } from '../../../../src/adapters/redis/redis-link.ts';
import { describeWithRedis } from '../../../redis/describe-with-redis.ts';
import { linkTo } from '../../../redis/link-to.ts';
import { RedisProxy } from '../../../redis/redis-proxy.ts';
import { RedisServer } from '../../../redis/redis-server.ts';

describeWithRedis('RedisLink', () => {
  let server: RedisServer;
  let link: RedisLink;

  before(async () => {
    server = await RedisServer.start();
  });
  after(() => server.remove());
  beforeEach(async () => {
    await server.startAgainIfEnded();
    link = await openLink(server.url);
  });
  afterEach(() => link.close());

  const openLink = (url: string, pauseMs = 2000) => linkTo(url, { timings: { replyTimeoutMs: 300, pauseMs } });

  async function getError(work: Promise<unknown>): Promise<string> {
    const error = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).to.be.instanceOf(RedisError);
    return (error as RedisError).message;
  }

  it('returns replies in the order of commands, to concurrent callers', async () => {
    const pending = Array.from({ length: 50 }, (_, index) => link.send([['ECHO', `${index}`], ['PING']]));
    const replies = await Promise.all(pending);
    expect(replies).to.deep.equal(replies.map((_, index) => [`${index}`, 'PONG']));
    expect(Number(await server.command('CLIENT', 'LIST').then((text) => String(text).split('\n').length - 1))).to.equal(
      2,
    );
  });

  it('reconnects after Redis closed the connection', async () => {
    await link.send([['PING']]);
    await server.kill();
    await server.startAgain();
    expect(await link.send([['PING']])).to.deep.equal(['PONG']);
    expect(link.issue).to.equal(null);
  });

  it('fails at once during the pause after a failure, then retries', async () => {
    link.close();
    link = await openLink(server.url, 500);
    await server.kill();
    const reason = await getError(link.send([['PING']]));
    expect(reason).to.equal('unreachable (ECONNREFUSED)');
    await server.startAgain();
    expect(await getError(link.send([['PING']]))).to.equal(reason);
    expect(link.issue?.message).to.equal(reason);
    await sleep(550);
    expect(await link.send([['PING']])).to.deep.equal(['PONG']);
    expect(link.issue).to.equal(null);
  });

  it('keeps the connection for others when Redis rejects a command', async () => {
    await server.command('ACL', 'SETUSER', 'few', 'on', '>correct-h0rse', '~few:*', '+set', '+ping', '+client|id');
    link.close();
    link = await openLink(server.url.replace('//', '//few:correct-h0rse@'));
    const ids = await link.send([['CLIENT', 'ID']]);
    const refused: readonly (readonly [RedisCommand, code: string | null])[] = [
      [['GET', 'few:a'], 'NOPERM'],
      [['SET', 'many:a', '1'], 'NOPERM'],
      [['SET', 'few:a'], 'ERR'],
    ];
    for (const [command, code] of refused) {
      const pending = [link.send([['PING']]), link.send([command]), link.send([['PING']])] as const;
      const [before, failure, after] = await Promise.allSettled(pending);
      expect(failure.status === 'rejected' && (failure.reason as RedisError).code, command.join(' ')).to.equal(code);
      for (const other of [before, after]) expect(other).to.deep.equal({ status: 'fulfilled', value: ['PONG'] });
      expect(link.issue).to.equal(null);
    }
    expect(await link.send([['CLIENT', 'ID']])).to.deep.equal(ids);
  });

  it('pauses when Redis cannot serve any caller', async () => {
    await link.send([['PING']]);
    await server.command('REPLICAOF', '127.0.0.1', '1');
    try {
      const reason = 'read-only replica (READONLY)';
      expect(await getError(link.send([['SET', 'a', '1']]))).to.equal(reason);
      expect(await getError(link.send([['PING']]))).to.equal(reason);
    } finally {
      await server.command('REPLICAOF', 'NO', 'ONE');
    }
  });

  it('reaches the new master behind its address when the old one no longer takes writes', async () => {
    const [one, two] = [await RedisServer.start(), await RedisServer.start()];
    const proxy = await RedisProxy.start(one);
    const moving = await openLink(proxy.url, 0);
    const write: RedisCommand = ['EVAL', "return redis.call('SET', KEYS[1], '1')", '1', 'a'];
    try {
      await moving.send([write]);
      await one.command('REPLICAOF', '127.0.0.1', '1');
      proxy.leadTo(two);
      expect(await getError(moving.send([write]))).to.include('(READONLY)');
      await moving.send([write]);
      expect(await two.command('EXISTS', 'a')).to.equal(1);
    } finally {
      moving.close();
      await proxy.close();
      await Promise.all([one.remove(), two.remove()]);
    }
  });

  it('rejects commands once closed', async () => {
    await link.send([['PING']]);
    link.close();
    link.close();
    expect(await getError(link.send([['PING']]))).to.equal('the connection was closed');
  });
});
