import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { type RedisCommand, RedisError } from '../../../../src/adapters/redis/redis.ts';
import { parseRedisUrl, type RedisAddress } from '../../../../src/adapters/redis/redis-address.ts';
import {
  loadRedisClient,
  type RedisCommands,
  RedisConnection,
} from '../../../../src/adapters/redis/redis-connection.ts';
import { MemoryUsageLedger } from '../../../../src/adapters/usage/memory-usage-ledger.ts';
import { countersKey, leaseKey, REPLICAS_KEY } from '../../../../src/adapters/usage/redis-usage-format.ts';
import { RedisUsageSync } from '../../../../src/adapters/usage/redis-usage-sync.ts';
import { RemoteCounters } from '../../../../src/adapters/usage/remote-counters.ts';
import { SharingReport } from '../../../../src/adapters/usage/sharing-report.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';
import { describeWithRedis } from '../../../redis/describe-with-redis.ts';
import { RedisServer } from '../../../redis/redis-server.ts';

/** One replica; its records outlive its process. */
class Replica {
  readonly records = new MemoryUsageLedger();
  readonly name: string;
  readonly clock = new FixedClock();
  readonly log = new RecordingServiceLog();
  readonly #maxAccounts: number | undefined;
  #remote!: RemoteCounters;
  #sync!: RedisUsageSync;

  constructor(name: string, maxAccounts?: number) {
    this.name = name;
    this.#maxAccounts = maxAccounts;
    this.restart();
  }

  count(accountId: string): void {
    this.records.count(sampleAuditEntry({ accountId }));
    this.#sync.markChanged('alpha', accountId);
  }

  /** A millisecond later. */
  run(connection: RedisCommands): Promise<boolean> {
    this.clock.advance(1);
    return this.#sync.run(connection);
  }

  /** The process is replaced by one with the same records. */
  restart(): void {
    this.#remote = new RemoteCounters(this.#maxAccounts);
    this.#sync = new RedisUsageSync({
      ...{ ledger: this.records, remote: this.#remote, name: this.name, token: randomUUID(), leaseMs: 60_000 },
      ...{ report: new SharingReport('redis://h:6379/0', this.clock, this.log), clock: this.clock },
    });
  }

  /** The process is replaced by one with an empty audit file. */
  restartWithoutRecords(): void {
    this.records.restore({ totals: { totalSigns: 0, errorCount: 0 }, platforms: [] });
    this.restart();
  }

  signs(accountId: string): number {
    return this.#remote.addTo(this.records.usage('alpha', accountId), 'alpha', accountId).totalSigns;
  }

  totalSigns(): number {
    return this.#remote.addToTotals(this.records.totals()).totalSigns;
  }

  get replicas(): number {
    return this.#remote.size + 1;
  }

  get warnings(): readonly string[] {
    return this.log.events.map(({ message }) => message);
  }
}

type Fate = 'well' | 'lost' | 'unanswered' | 'emptied';

/**
 * A connection whose commands, in turn, succeed, are lost, lose their reply, or meet an emptied
 * Redis.
 */
function faulty(connection: RedisConnection, fates: readonly Fate[]): RedisCommands {
  let requested = 0;
  const pass = async <Reply>(ask: () => Promise<Reply>): Promise<Reply> => {
    const fate = fates[requested % fates.length];
    requested += 1;
    if (fate === 'lost') throw new RedisError('lost');
    if (fate === 'emptied') await connection.send([['FLUSHALL']]);
    const reply = await ask();
    if (fate === 'unanswered') throw new RedisError('unanswered');
    return reply;
  };
  return {
    send: (commands) => pass(() => connection.send(commands)),
    sendSettled: (commands) => pass(() => connection.sendSettled(commands)),
    sendForList: (command) => pass(() => connection.sendForList(command)),
  };
}

/** The same connection, recording commands. */
function watched(connection: RedisConnection, sent: RedisCommand[]): RedisCommands {
  return {
    send: (commands) => {
      sent.push(...commands);
      return connection.send(commands);
    },
    sendSettled: (commands) => connection.sendSettled(commands),
    sendForList: (command) => {
      sent.push(command);
      return connection.sendForList(command);
    },
  };
}

describeWithRedis('RedisUsageSync', () => {
  let redis: RedisServer;
  let connection: RedisConnection;

  before(async () => {
    redis = await RedisServer.start();
    const address = parseRedisUrl(redis.url) as RedisAddress;
    connection = await RedisConnection.open(await loadRedisClient(), address, { password: '' }, 5000);
  });
  after(async () => {
    connection.close();
    await redis.remove();
  });
  beforeEach(() => connection.send([['FLUSHALL']]));

  it('converges on the sums and never exceeds them, despite lost commands, data loss and restarts', async () => {
    const step = fc.record({
      replica: fc.nat(2),
      counted: fc.array(fc.constantFrom('main', 'spare', 'third'), { maxLength: 4 }),
      fates: fc.array(fc.constantFrom<Fate>('well', 'well', 'well', 'lost', 'unanswered', 'emptied'), {
        minLength: 1,
        maxLength: 7,
      }),
      event: fc.constantFrom('none', 'none', 'none', 'none', 'restart', 'flush'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
        await connection.send([['FLUSHALL']]);
        const replicas = ['one', 'two', 'three'].map((name) => new Replica(name));
        const counted: string[] = [];
        for (const { replica: index, counted: accounts, fates, event } of steps) {
          const replica = replicas[index] as Replica;
          if (event === 'flush') await connection.send([['FLUSHALL']]);
          if (event === 'restart') {
            replica.restart();
            await connection.send([['DEL', leaseKey(replica.name)]]);
          }
          for (const account of accounts) replica.count(account);
          counted.push(...accounts);
          const before = replicas.map((each) => each.totalSigns());
          await replica.run(faulty(connection, fates)).catch((error) => {
            expect(error).to.be.instanceOf(RedisError);
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
      { numRuns: 30 },
    );
  });

  it('reads only the accounts of replicas with changed totals', async () => {
    const [one, two, three] = [new Replica('one'), new Replica('two'), new Replica('three')];
    for (const replica of [one, two]) {
      replica.count('main');
      await replica.run(connection);
    }
    const scans = async () => {
      const sent: RedisCommand[] = [];
      await three.run(watched(connection, sent));
      return sent.filter(([command]) => command === 'HSCAN').map(([, key]) => key);
    };
    expect((await scans()).toSorted()).to.deep.equal([countersKey('one'), countersKey('two')]);
    expect(await scans()).to.deep.equal([]);
    two.count('spare');
    await two.run(connection);
    expect(await scans()).to.deep.equal([countersKey('two')]);
  });

  it('keeps counters for 30 days after the last write', async () => {
    const [one, two] = [new Replica('one'), new Replica('two')];
    one.count('main');
    await one.run(connection);
    const [counts = 0, replicas = 0] = await connection.send([
      ['PTTL', countersKey('one')],
      ['PTTL', REPLICAS_KEY],
    ]);
    const month = 30 * 24 * 3_600_000;
    for (const left of [counts, replicas]) expect(Number(left)).to.be.within(month - 60_000, month);
    await two.run(connection);
    two.clock.advance(month - 1);
    await two.run(connection);
    expect([two.totalSigns(), two.replicas]).to.deep.equal([1, 2]);
    await two.run(connection);
    expect([two.totalSigns(), two.signs('main'), two.replicas]).to.deep.equal([0, 0, 1]);
    one.clock.advance(month);
    await one.run(connection);
    await two.run(connection);
    expect([two.totalSigns(), two.signs('main')]).to.deep.equal([1, 1]);
  });

  it('replaces the counters of lost records, for all readers, with a warning', async () => {
    const [one, two] = [new Replica('one'), new Replica('two')];
    for (const account of ['main', 'main', 'spare']) one.count(account);
    await one.run(connection);
    await two.run(connection);
    one.restartWithoutRecords();
    await connection.send([['DEL', leaseKey('one')]]);
    one.count('main');
    await one.run(connection);
    await two.run(connection);
    expect([two.totalSigns(), two.signs('main'), two.signs('spare')]).to.deep.equal([1, 1, 0]);
    expect(one.warnings).to.have.length(1);
    expect(one.warnings[0]).to.include('(signatures: 2, errors: 0)');
    expect(two.warnings).to.be.empty;
  });

  it('repairs falsified totals at once', async () => {
    const [one, two] = [new Replica('one'), new Replica('two')];
    one.count('main');
    await one.run(connection);
    const id = randomUUID();
    for (const totals of [`999,0,${id}`, `0,0,${id}`, 'garbage']) {
      await connection.send([['HSET', countersKey('one'), 'totals', totals, 'alpha/main', '999,,0']]);
      await two.run(connection);
      await one.run(connection);
      await two.run(connection);
      expect([two.totalSigns(), two.signs('main')], totals).to.deep.equal([1, 1]);
    }
  });

  it('repairs overwritten accounts within 10 minutes', async () => {
    const one = new Replica('one');
    for (let i = 0; i < 3; i += 1) one.count('main');
    await one.run(connection);
    await connection.send([['HSET', countersKey('one'), 'alpha/main', '1,,0']]);
    const signs = async () => (await connection.send([['HGET', countersKey('one'), 'alpha/main']]))[0];
    one.clock.advance(599_998);
    await one.run(connection);
    expect(await signs(), 'not all is written each time').to.equal('1,,0');
    const early = new Replica('early');
    await early.run(connection);
    expect(early.signs('main')).to.equal(1);
    await one.run(connection);
    expect(await signs()).to.match(/^3,/);
    await early.run(connection);
    expect(early.signs('main')).to.equal(3);
    await connection.send([['HSET', countersKey('one'), 'alpha/main', '1,,0']]);
    await one.run(connection);
    expect(await signs(), 'and not each time from then on').to.equal('1,,0');
  });

  it('reports surplus accounts', async () => {
    const [one, two] = [new Replica('one'), new Replica('two', 2)];
    for (const account of ['a', 'b']) one.count(account);
    await one.run(connection);
    await two.run(connection);
    expect(two.warnings).to.be.empty;
    one.count('c');
    await one.run(connection);
    await two.run(connection);
    expect(two.warnings[0]).to.include('more than 1000000 accounts');
    expect([two.signs('c'), two.totalSigns()]).to.deep.equal([0, 3]);
  });

  it('bounds the replicas, and reports surplus ones once', async () => {
    const one = new Replica('one');
    const commands = Array.from({ length: 1001 }, (_, index): readonly RedisCommand[] => [
      ['HSET', countersKey(`r-${index}`), 'totals', `1,0,${randomUUID()}`],
      ['ZADD', REPLICAS_KEY, String(one.clock.now()), `r-${index}`],
    ]);
    await connection.send(commands.flat());
    for (let run = 0; run < 2; run += 1) await one.run(connection);
    expect([one.replicas, one.totalSigns()]).to.deep.equal([1 + 1000, 1000]);
    expect(one.warnings).to.have.length(1);
    expect(one.warnings[0]).to.include('more than 1000 replicas');
  });
});
