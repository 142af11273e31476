import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { MemoryUsageLedger } from '../../../../../../src/adapters/driven/usage-ledger/memory-usage-ledger.ts';
import { OtherReplicas } from '../../../../../../src/adapters/driven/usage-ledger/redis/other-replicas.ts';
import { OwnCounters } from '../../../../../../src/adapters/driven/usage-ledger/redis/own-counters.ts';
import { keysOf } from '../../../../../../src/adapters/driven/usage-ledger/redis/shared-counters.ts';
import { UsageExchange } from '../../../../../../src/adapters/driven/usage-ledger/redis/usage-exchange.ts';
import { parseRedisUrl, type RedisAddress } from '../../../../../../src/redis/redis-address.ts';
import {
  loadRedisClient,
  type RedisCommand,
  type RedisCommands,
  RedisConnection,
} from '../../../../../../src/redis/redis-connection.ts';
import { RedisFault } from '../../../../../../src/redis/redis-fault.ts';
import { FixedClock } from '../../../../../doubles/fixed-clock.ts';
import { sampleAuditEntry } from '../../../../../doubles/sample-audit-entry.ts';
import { describeWithRedis } from '../../../../../redis/describe-with-redis.ts';
import { RedisServer } from '../../../../../redis/redis-server.ts';

/** One replica: what its records say is kept when its process is gone. */
class Replica {
  readonly records = new MemoryUsageLedger();
  #own = new OwnCounters(this.records);
  #others: OtherReplicas;
  #exchange: UsageExchange;
  readonly name: string;
  readonly clock = new FixedClock();
  readonly overflows = new Set<string>();
  readonly #maxAccounts: number | undefined;

  constructor(name: string, maxAccounts?: number) {
    this.name = name;
    this.#maxAccounts = maxAccounts;
    this.#others = new OtherReplicas(maxAccounts);
    this.#exchange = this.#newExchange();
  }

  count(accountId: string): void {
    this.#own.count(sampleAuditEntry({ accountId }));
  }

  run(connection: RedisCommands): Promise<boolean> {
    return this.#exchange.run(connection);
  }

  /** The process is gone, and the next one knows what the records say. */
  restart(): void {
    this.#own = new OwnCounters(this.records);
    this.#others = new OtherReplicas(this.#maxAccounts);
    this.#exchange = this.#newExchange();
  }

  signs(accountId: string): number {
    return this.#others.addTo(this.#own.usage('alpha', accountId), 'alpha', accountId).totalSigns;
  }

  totalSigns(): number {
    return this.#own.totals().totalSigns + this.#others.totals().totalSigns;
  }

  #newExchange(): UsageExchange {
    return new UsageExchange({
      own: this.#own,
      others: this.#others,
      name: this.name,
      token: randomUUID(),
      ownerMs: 60_000,
      onCarried: () => expect.fail('No record is lost in this test.'),
      onOverflow: (what) => this.overflows.add(what),
      clock: this.clock,
    });
  }
}

/** A connection on which each command in turn does as `fates` say: it goes well, is lost on its way, or its answer is. */
function faulty(connection: RedisConnection, fates: readonly ('well' | 'lost' | 'unanswered')[]): RedisCommands {
  let asked = 0;
  const pass = async <Reply>(ask: () => Promise<Reply>): Promise<Reply> => {
    const fate = fates[asked % fates.length];
    asked += 1;
    if (fate === 'lost') throw new RedisFault('lost');
    const reply = await ask();
    if (fate === 'unanswered') throw new RedisFault('unanswered');
    return reply;
  };
  return {
    send: (commands) => pass(() => connection.send(commands)),
    ask: (commands) => pass(() => connection.ask(commands)),
    askForList: (command) => pass(() => connection.askForList(command)),
  };
}

describeWithRedis('UsageExchange', () => {
  let redis: RedisServer;
  let connection: RedisConnection;

  before(async () => {
    redis = await RedisServer.start();
    const address = parseRedisUrl(redis.url) as RedisAddress;
    connection = await RedisConnection.open(await loadRedisClient(), address, address.credentials(), 5000);
  });
  after(async () => {
    connection.close();
    await redis.remove();
  });
  beforeEach(() => connection.send([['FLUSHALL']]));

  it('agrees on the sums, and never shows more, whatever was lost on the way, forgotten by Redis or begun anew', async () => {
    const step = fc.record({
      replica: fc.nat(2),
      counted: fc.array(fc.constantFrom('main', 'spare', 'third'), { maxLength: 4 }),
      fates: fc.array(fc.constantFrom('well', 'well', 'well', 'lost', 'unanswered'), { minLength: 1, maxLength: 7 }),
      event: fc.constantFrom('none', 'none', 'none', 'none', 'restart', 'flush'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        await connection.send([['FLUSHALL']]);
        const replicas = ['one', 'two', 'three'].map((name) => new Replica(name));
        const counted: string[] = [];
        for (const { replica: index, counted: accounts, fates, event } of steps) {
          const replica = replicas[index] as Replica;
          if (event === 'flush') await connection.send([['FLUSHALL']]);
          if (event === 'restart') {
            replica.restart();
            await connection.send([['DEL', keysOf(replica.name).owner]]);
          }
          for (const account of accounts) replica.count(account);
          counted.push(...accounts);
          const before = replicas.map((each) => each.totalSigns());
          await replica.run(faulty(connection, fates as ('well' | 'lost' | 'unanswered')[])).catch((error) => {
            expect(error).to.be.instanceOf(RedisFault);
          });
          for (const [at, each] of replicas.entries()) {
            expect(each.totalSigns()).to.be.within(before[at] ?? 0, counted.length);
          }
        }
        for (const replica of [...replicas, ...replicas]) expect(await replica.run(connection)).to.equal(true);
        for (const replica of replicas) {
          expect(replica.totalSigns()).to.equal(counted.length);
          for (const account of ['main', 'spare', 'third']) {
            expect(replica.signs(account)).to.equal(counted.filter((each) => each === account).length);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('sends and asks in short commands, and only what changed', async () => {
    const sent: RedisCommand[] = [];
    const watched: RedisCommands = {
      send: (commands) => {
        sent.push(...commands);
        return connection.send(commands);
      },
      ask: (commands) => connection.ask(commands),
      askForList: (command) => {
        sent.push(command);
        return connection.askForList(command);
      },
    };
    const accounts = (name: string) =>
      sent
        .splice(0)
        .filter(([command]) => command === name)
        .map((command) => command.length - 2);
    const [one, two] = [new Replica('one'), new Replica('two')];
    for (let i = 0; i < 1000; i += 1) one.count(`account-${i}`);
    await one.run(watched);
    const pairs = accounts('ZADD');
    expect(Math.max(...pairs)).to.be.at.most(2 * 200);
    expect(pairs.reduce((sum, length) => sum + length, 0)).to.equal(2 * 1000);
    await two.run(watched);
    expect(Math.max(...accounts('HMGET'))).to.be.at.most(200);

    await one.run(watched);
    sent.length = 0;
    one.count('account-7');
    await one.run(watched);
    expect(accounts('ZADD')).to.deep.equal([2]);
    await two.run(watched);
    expect(accounts('HMGET')).to.deep.equal([1]);
    await one.run(watched);
    expect(accounts('ZADD')).to.deep.equal([]);
    expect(two.totalSigns()).to.equal(1001);
  });

  it('puts right within 10 minutes what was overwritten in place', async () => {
    const one = new Replica('one');
    for (let i = 0; i < 3; i += 1) one.count('main');
    await one.run(connection);
    await connection.send([['HSET', keysOf('one').counts, 'alpha/main', '1,,0']]);
    const signs = async () => (await connection.send([['HGET', keysOf('one').counts, 'alpha/main']]))[0];
    one.clock.advance(599_999);
    await one.run(connection);
    expect(await signs(), 'not all is written each time').to.equal('1,,0');
    const early = new Replica('early');
    await early.run(connection);
    expect(early.signs('main')).to.equal(1);
    one.clock.advance(1);
    await one.run(connection);
    expect(await signs()).to.match(/^3,/);
    await early.run(connection);
    expect(early.signs('main')).to.equal(3);
    await connection.send([['HSET', keysOf('one').counts, 'alpha/main', '1,,0']]);
    await one.run(connection);
    expect(await signs(), 'and not each time from then on').to.equal('1,,0');
  });

  it('tells everything once after a start', async () => {
    const one = new Replica('one');
    for (const account of ['main', 'spare', 'third']) one.count(account);
    await one.run(connection);
    one.restart();
    await connection.send([['DEL', keysOf('one').owner]]);
    const told: RedisCommand[] = [];
    const watched: RedisCommands = {
      send: (commands) => {
        told.push(...commands.filter(([name]) => name === 'ZADD'));
        return connection.send(commands);
      },
      ask: (commands) => connection.ask(commands),
      askForList: (command) => connection.askForList(command),
    };
    for (let run = 0; run < 3; run += 1) await one.run(watched);
    expect(told.map((command) => command.length)).to.deep.equal([2 + 2 * 3]);
  });

  for (const lost of ['counts', 'changes'] as const) {
    it(`misses at the next look what Redis lost of its ${lost} right after it was told`, async () => {
      const one = new Replica('one');
      await one.run(connection);
      for (const account of ['main', 'spare']) one.count(account);
      await one.run(connection);
      await connection.send([['DEL', keysOf('one')[lost]]]);
      await one.run(connection);
      const two = new Replica('two');
      await two.run(connection);
      expect([two.signs('main'), two.signs('spare')]).to.deep.equal([1, 1]);
    });
  }

  it('tells of accounts that there is no room for', async () => {
    const [one, two] = [new Replica('one'), new Replica('two', 2)];
    for (const account of ['a', 'b']) one.count(account);
    await one.run(connection);
    await two.run(connection);
    expect([...two.overflows]).to.deep.equal([]);
    one.count('c');
    await one.run(connection);
    await two.run(connection);
    expect([...two.overflows]).to.deep.equal(['accounts']);
    expect([two.signs('c'), two.totalSigns()]).to.deep.equal([0, 3]);
  });
});
