import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { type Redis, type RedisCommand, RedisError } from '../../../../src/adapters/redis/redis.ts';
import { MemoryUsageLedger } from '../../../../src/adapters/usage/memory-usage-ledger.ts';
import { describeUsageLedgerContract } from '../../../contracts/usage-ledger-contract.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';
import { describeWithRedis } from '../../../redis/describe-with-redis.ts';
import { linkTo } from '../../../redis/link-to.ts';
import { RedisServer } from '../../../redis/redis-server.ts';
import { type Replica, Replicas, sign } from '../../../redis/replicas.ts';
import { until } from '../../../redis/until.ts';

const EARLY = '2026-11-20T08:49:00.000Z';
const LATE = '2026-11-20T09:00:00.000Z';
const MONTH_MS = 30 * 24 * 3_600_000;
const COUNTS = 'signing-service:usage:counts:';
const INSTANCES = 'signing-service:usage:instances';

describeWithRedis('RedisUsageLedger', () => {
  let redis: RedisServer;
  let link: Redis;
  const replicas = new Replicas();

  before(async () => {
    redis = await RedisServer.start();
    link = await linkTo(redis.url, { timings: { replyTimeoutMs: 5000, pauseMs: 50 } });
  });
  after(async () => {
    link.close();
    await redis.remove();
  });
  afterEach(async () => {
    await replicas.stop();
    await redis.startAgainIfEnded();
    await redis.command('FLUSHALL');
  });

  const start = (name: string, records?: MemoryUsageLedger) =>
    replicas.start(name, redis.url, records === undefined ? {} : { records });
  /** @param expected signatures of accounts of platform alpha, and `all` */
  const signsAre = (expected: { readonly [account: string]: number }, ...some: readonly Replica[]) =>
    until(async () => {
      const ids = Object.keys(expected).map((accountId) => ({ platformId: 'alpha', accountId }));
      for (const { ledger } of some) {
        const { totals, usages } = await ledger.sum(ids);
        const found = ids.map(({ accountId }, index) => [
          accountId,
          accountId === 'all' ? totals.totalSigns : usages[index]?.totalSigns,
        ]);
        expect(Object.fromEntries(found)).to.deep.equal(expected);
      }
    });
  const isCurrent = (...some: readonly Replica[]) =>
    until(() => {
      for (const { ledger } of some) expect(ledger.sharing).to.include({ state: 'current', behindSince: null });
    });
  const logged = ({ log }: Replica, level: 'info' | 'warn' | 'error') =>
    log.events.filter((event) => event.level === level).map(({ message }) => message);

  describeUsageLedgerContract('RedisUsageLedger that shares through Redis', async () => {
    const one = await start('one');
    await isCurrent(one);
    return one.ledger;
  });

  it('sums the counters of three replicas: by account, in total, and the latest signature', async () => {
    const [one, two, three] = [await start('one'), await start('two'), await start('three')];
    one.ledger.count(sampleAuditEntry({ time: EARLY }));
    two.ledger.count(sampleAuditEntry({ time: LATE }));
    two.ledger.count(sampleAuditEntry({ outcome: 'failed', accountId: 'spare' }));
    three.ledger.count(sampleAuditEntry({ time: EARLY }));
    three.ledger.count(sampleAuditEntry({ outcome: 'refused', accountId: 'nobody', algorithm: null }));
    const page = ['main', 'spare'].map((accountId) => ({ platformId: 'alpha', accountId }));
    await until(async () => {
      for (const { ledger } of [one, two, three]) {
        expect(await ledger.sum(page)).to.deep.equal({
          totals: { totalSigns: 3, errorCount: 2 },
          usages: [
            { totalSigns: 3, lastSignAt: LATE, errorCount: 0 },
            { totalSigns: 0, lastSignAt: null, errorCount: 1 },
          ],
        });
        const sharing = { shared: true, state: 'current', behindSince: null, reason: null, replicas: 3 };
        expect(ledger.sharing).to.deep.equal(sharing);
      }
    });
    expect(one.ledger.totals(), 'its own').to.deep.equal({ totalSigns: 1, errorCount: 0 });
    expect(logged(one, 'info')).to.deep.equal(['Usage counters are shared.']);
    expect([...logged(one, 'warn'), ...logged(two, 'warn'), ...logged(three, 'error')]).to.be.empty;
  });

  it('shows its own counts and the last totals while Redis is down, then shares everything', async () => {
    const [one, two] = [await start('one'), await start('two')];
    sign(one, 2);
    sign(two, 3);
    await signsAre({ main: 5, all: 5 }, one, two);
    await redis.kill();
    sign(one, 10);
    await signsAre({ main: 12, all: 15 }, one);
    await signsAre({ main: 3, all: 5 }, two);
    for (const { ledger } of [one, two]) {
      expect(ledger.sharing).to.include({ state: 'behind' });
      expect(ledger.sharing.reason).to.match(/^Redis: unreachable|^Redis: the connection was closed/);
    }
    expect(logged(one, 'warn')).to.have.length(1);
    expect(logged(one, 'warn')[0]).to.match(
      /^Usage counters are not shared at the moment\. Redis: .+\. Signing is unaffected and no counts are lost/,
    );

    await redis.startAgain();
    await isCurrent(one, two);
    await signsAre({ main: 15, all: 15 }, one, two);
    expect(logged(one, 'info')).to.deep.equal(['Usage counters are shared.', 'Usage counters are shared.']);
  });

  it('has its own counts at once after a restart, and its last ones are shared', async () => {
    const [one, two] = [await start('one'), await start('two')];
    sign(two, 5);
    sign(one, 3);
    await one.ledger.stop();
    await signsAre({ all: 8 }, two);
    const back = await start('one', one.ledger);
    expect(back.ledger.totals().totalSigns).to.equal(3);
    sign(back, 1);
    await signsAre({ main: 9, all: 9 }, back, two);
    expect([...logged(back, 'warn'), ...logged(back, 'error')]).to.be.empty;
  });

  it('writes again what Redis lost, without a record', async () => {
    const [one, two] = [await start('one'), await start('two')];
    for (let i = 0; i < 450; i += 1) sign(one, 1, `a${i}`);
    await signsAre({ all: 450, a0: 1, a449: 1 }, two);
    await redis.command('FLUSHALL');
    await signsAre({ all: 450, a0: 1, a449: 1 }, two);
    for (const falsified of [`999,0,${randomUUID()}`, 'garbage']) {
      await redis.command('HSET', `${COUNTS}one`, 'totals', falsified, 'alpha/a0', '999,,0');
      await signsAre({ all: 450, a0: 1 }, two);
    }
  });

  it('takes what an older Redis has of the process before it for lost writes', async () => {
    const before = await start('one');
    sign(before, 2);
    await isCurrent(before);
    await before.ledger.stop();
    const older = await redis.command('HGET', `${COUNTS}one`, 'totals');
    const back = await start('one', before.ledger);
    sign(back, 1);
    await signsAre({ all: 3 }, await start('two'), back);
    await redis.command('HSET', `${COUNTS}one`, 'totals', String(older));
    await signsAre({ all: 3 }, await start('three'));
    expect(logged(back, 'error')).to.deep.equal([]);
  });

  it('reports another process with its instance ID, in both', async () => {
    const [one, second] = [await start('one'), await start('one')];
    const isReported = async (replica: Replica) => {
      sign(replica, 1);
      await until(() => expect(logged(replica, 'error')).to.have.length(1));
      expect(logged(replica, 'error')[0]).to.match(
        /^Another running process .* instance ID one\b.*SIGNING_INSTANCE_ID/,
      );
    };
    await isCurrent(one, second);
    await Promise.all([isReported(one), isReported(second)]);
    await until(() => expect(one.ledger.sharing.reason).to.match(/^Another running process .* instance ID one$/));
    await second.ledger.stop();
    await isCurrent(one);
    await signsAre({ all: one.ledger.totals().totalSigns }, await start('two'));
  });

  it('warns when Redis has more than the records, which count', async () => {
    const [one, two] = [await start('one'), await start('two')];
    sign(one, 2);
    sign(one, 1, 'spare');
    await signsAre({ all: 3, spare: 1 }, two);
    await one.ledger.stop();
    const records = new MemoryUsageLedger();
    records.count(sampleAuditEntry());
    const without = await start('one', records);
    await signsAre({ all: 1, main: 1, spare: 0 }, two, without);
    await until(() => expect(logged(without, 'warn')).to.have.length(1));
    expect(logged(without, 'warn')[0]).to.include('(signatures: 2, errors: 0)');
  });

  it('ignores foreign values: other texts, numbers out of range', async () => {
    const [now, id] = [String(Date.now()), randomUUID()];
    await redis.command(
      ...['HSET', `${COUNTS}x`, 'totals', `7,1,${id}`, 'alpha/main', '4,2026-11-20T08:49:00.000Z,1'],
      ...[
        'alpha/bad',
        '{"a":1}',
        'alpha/huge',
        '9999999999999,,1',
        'alpha/time',
        '1,yesterday,1',
        'alpha/less',
        '-1,,0',
      ],
    );
    const foreign = [
      'garbage',
      '1,1',
      `-1,1,${id}`,
      `1e3,0,${id}`,
      `1,1,${id}0`,
      `1,1,${id}\n`,
      `1234567890123,0,${id}`,
    ];
    for (const [index, totals] of foreign.entries()) {
      await redis.command('HSET', `${COUNTS}y${index}`, 'totals', totals);
      await redis.command('ZADD', INSTANCES, now, `y${index}`);
    }
    await redis.command('ZADD', INSTANCES, now, 'x', now, '../../z', now, '', now, 'a b');
    const one = await start('one');
    await signsAre({ all: 7, main: 4, bad: 0, huge: 0, time: 0, less: 0 }, one);
    expect(one.ledger.sharing).to.include({ replicas: 2 + foreign.length, state: 'current' });
    expect(JSON.stringify(one.log.events)).not.to.match(/garbage|yesterday/);
  });

  it('replaces its own key of another type, and counts none of another replica with one', async () => {
    for (const name of ['one', 'gone']) await redis.command('SET', `${COUNTS}${name}`, 'no hash');
    await redis.command('ZADD', INSTANCES, String(Date.now()), 'gone');
    const [one, two] = [await start('one'), await start('two')];
    sign(one, 2);
    await signsAre({ all: 2, main: 2 }, one, two);
    await isCurrent(one, two);
  });

  it('keeps counters for 30 days after the last write', async () => {
    const one = await start('one');
    sign(one, 1);
    await isCurrent(one);
    await one.ledger.stop();
    for (const key of [`${COUNTS}one`, INSTANCES])
      expect(await redis.command('PTTL', key)).to.be.within(MONTH_MS - 60_000, MONTH_MS);
    const clock = new FixedClock(new Date(Date.now() + MONTH_MS - 60_000).toISOString());
    const two = await replicas.start('two', redis.url, { clock });
    await signsAre({ all: 1 }, two);
    clock.advance(120_000);
    await signsAre({ all: 0 }, two);
  });

  it('adds the 200 other replicas with the latest writes', async () => {
    const commands = Array.from({ length: 201 }, (_, index): readonly RedisCommand[] => [
      ['HSET', `${COUNTS}r-${index}`, 'totals', `${index === 0 ? 1000 : 1},0,${randomUUID()}`],
      ['ZADD', INSTANCES, String(Date.now() - 1000 + index), `r-${index}`],
    ]);
    await link.send(commands.flat());
    await signsAre({ all: 200 }, await start('one'));
  });

  it('converges on the sums and never exceeds them, despite lost commands, data loss and kills', async () => {
    type Fate = 'well' | 'lost' | 'unanswered' | 'emptied' | 'killed';
    const step = fc.record({
      replica: fc.nat(2),
      counted: fc.array(fc.constantFrom('main', 'spare', 'third'), { maxLength: 4 }),
      fate: fc.constantFrom<Fate>('well', 'well', 'lost', 'unanswered', 'emptied', 'killed'),
    });
    /** Meets its fate once; lost for good if killed. */
    const fateful = (fates: Fate[]): Pick<Redis, 'send' | 'pauseMs'> => ({
      pauseMs: 0,
      send: async (commands) => {
        const fate = fates[0] === 'killed' ? 'killed' : (fates.shift() ?? 'well');
        if (fate === 'lost' || fate === 'killed') throw new RedisError('lost');
        if (fate === 'emptied') await link.send([['FLUSHALL']]);
        const replies = await link.send(commands);
        if (fate === 'unanswered') throw new RedisError('unanswered');
        return replies;
      },
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
        await redis.command('FLUSHALL');
        const begin = async (name: string, records = new MemoryUsageLedger()) => {
          const fates: Fate[] = [];
          const options = { records, link: fateful(fates), pauses: { busy: 0, idle: 5 } };
          return { ...(await replicas.start(name, redis.url, options)), name, fates };
        };
        const all = [await begin('one'), await begin('two'), await begin('three')];
        const counted = { main: 0, spare: 0, third: 0, all: 0 };
        for (const { replica: index, counted: accounts, fate } of steps) {
          const replica = all[index];
          if (replica === undefined) continue;
          replica.fates.push(fate);
          for (const account of accounts) {
            sign(replica, 1, account);
            counted[account] += 1;
            counted.all += 1;
          }
          for (const { ledger } of all) expect((await ledger.sum([])).totals.totalSigns).to.be.at.most(counted.all);
          if (fate === 'killed') all[index] = await begin(replica.name, replica.ledger);
        }
        await signsAre(counted, ...all);
        await replicas.stop();
      }),
      { numRuns: 30 },
    );
  });
});
