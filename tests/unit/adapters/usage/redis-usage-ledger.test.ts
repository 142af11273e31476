import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import type { MemoryUsageLedger } from '../../../../src/adapters/usage/memory-usage-ledger.ts';
import { describeUsageLedgerContract } from '../../../contracts/usage-ledger-contract.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { sampleAuditEntry } from '../../../doubles/sample-audit-entry.ts';
import { describeWithRedis } from '../../../redis/describe-with-redis.ts';
import { RedisServer } from '../../../redis/redis-server.ts';
import { QUICK, type Replica, Replicas, restored, sign } from '../../../redis/replicas.ts';
import { until } from '../../../redis/until.ts';

const EARLY = '2026-11-20T08:49:00.000Z';
const LATE = '2026-11-20T09:00:00.000Z';

describeWithRedis('RedisUsageLedger with Redis', () => {
  let redis: RedisServer;
  const replicas = new Replicas();

  before(async () => {
    redis = await RedisServer.start();
  });
  after(() => redis.remove());

  afterEach(async () => {
    redis.goOn();
    await replicas.stop();
    await redis.startAgainIfEnded();
    await redis.command('FLUSHALL');
  });

  describeUsageLedgerContract('RedisUsageLedger that shares through Redis', async () => {
    const one = await replicas.start('one', redis.url);
    await until(() => expect(one.ledger.sharing).to.include({ state: 'current' }));
    return one.ledger;
  });

  const start = (name: string, records?: MemoryUsageLedger) =>
    replicas.start(name, redis.url, records === undefined ? {} : { records });
  const isCurrent = (...all: readonly Replica[]) =>
    until(() => {
      for (const { ledger } of all) expect(ledger.sharing).to.include({ state: 'current', behindSince: null });
    });
  const signsAre = (count: number, ...all: readonly Replica[]) =>
    until(() => {
      for (const { ledger } of all) expect(ledger.totals().totalSigns).to.equal(count);
    });
  const logged = ({ log }: Replica, level: 'info' | 'warn' | 'error') =>
    log.events.filter((event) => event.level === level).map(({ message }) => message);

  it('sums the counters of three replicas: by account, in total, and the latest signature', async () => {
    const [one, two, three] = [await start('one'), await start('two'), await start('three')];
    one.ledger.count(sampleAuditEntry({ time: EARLY }));
    two.ledger.count(sampleAuditEntry({ time: LATE }));
    two.ledger.count(sampleAuditEntry({ outcome: 'failed', accountId: 'spare' }));
    three.ledger.count(sampleAuditEntry({ time: EARLY }));
    three.ledger.count(sampleAuditEntry({ outcome: 'refused', accountId: 'nobody', algorithm: null }));
    await until(() => {
      for (const { ledger } of [one, two, three]) {
        expect(ledger.totals()).to.deep.equal({ totalSigns: 3, errorCount: 2 });
        expect(ledger.usage('alpha', 'main')).to.deep.equal({ totalSigns: 3, lastSignAt: LATE, errorCount: 0 });
        expect(ledger.usage('alpha', 'spare')).to.deep.equal({ totalSigns: 0, lastSignAt: null, errorCount: 1 });
        expect(ledger.sharing).to.deep.equal({
          shared: true,
          state: 'current',
          behindSince: null,
          reason: null,
          replicas: 3,
        });
      }
    });
    expect(logged(one, 'info')).to.deep.equal(['Usage counters are shared.']);
    expect([...logged(one, 'warn'), ...logged(two, 'warn'), ...logged(three, 'error')]).to.be.empty;
  });

  it('counts while Redis is down, logs it once, and shares everything with an empty Redis', async () => {
    const [one, two] = [await start('one'), await start('two')];
    sign(one, 2);
    sign(two, 3);
    await signsAre(5, one, two);
    await redis.kill();
    sign(one, 10);
    await until(() => expect(one.ledger.sharing).to.include({ state: 'behind' }));
    await until(() => expect(two.ledger.sharing).to.include({ state: 'behind' }));
    expect(one.ledger.totals().totalSigns, 'what is known stays').to.equal(15);
    expect(two.ledger.totals().totalSigns, 'and others lag').to.equal(5);
    await sleep(150);
    expect(logged(one, 'warn')).to.have.length(1);
    expect(logged(one, 'warn')[0]).to.match(
      /^Usage counters are not shared at the moment\. Redis: .+\. Signing is unaffected and no counts are lost/,
    );

    await redis.startAgain();
    await signsAre(15, one, two);
    await isCurrent(one, two);
    expect(logged(one, 'info')).to.deep.equal(['Usage counters are shared.', 'Usage counters are shared.']);
    await one.ledger.stop();
    await two.ledger.stop();
    const three = await start('three');
    await signsAre(15, three);
  });

  it('has the correct totals after a restart, whether or not Redis has the latest ones', async () => {
    const two = await start('two');
    sign(two, 5);
    const timings = { ...QUICK, leaseMs: 300, shutdownTimeoutMs: 50 };
    const killed = await replicas.start('one', redis.url, { timings });
    sign(killed, 3);
    await signsAre(8, two);
    redis.pause();
    sign(killed, 2);
    await killed.ledger.stop();
    redis.goOn();
    const back = await start('one', restored(killed));
    expect(back.ledger.totals().totalSigns, 'its own at once').to.equal(5);
    await signsAre(10, back, two);
    await isCurrent(back);
    sign(back, 1);
    await signsAre(11, back, two);
    expect([...logged(back, 'warn'), ...logged(back, 'error')], 'the name that the killed one kept is no fault').to.be
      .empty;
  });

  it("does not write under another process's name, and logs which setting to change", async () => {
    const [first, two] = [await start('one'), await start('two')];
    sign(first, 3);
    await signsAre(3, two);
    const clock = new FixedClock();
    const second = await replicas.start('one', redis.url, { clock });
    sign(second, 100);
    await until(() => {
      clock.advance(QUICK.leaseMs / 10);
      expect(logged(second, 'error')).to.have.length(1);
    });
    expect(logged(second, 'error')[0]).to.include('SIGNING_INSTANCE_ID').and.include('instance ID one');
    expect(second.ledger.sharing).to.include({ state: 'behind' });
    expect(second.ledger.totals().totalSigns).to.equal(100);
    expect(first.ledger.sharing).to.include({ state: 'current' });
    expect(two.ledger.totals().totalSigns).to.equal(3);
    // Several attempts later.
    await sleep(100);
    expect(logged(second, 'error'), 'once').to.have.length(1);

    await first.ledger.stop();
    await isCurrent(second);
  });

  it('ignores foreign values: other texts, numbers out of range, keys of another type', async () => {
    const one = await start('one');
    const instances = 'signing-service:usage:instances';
    const counts = 'signing-service:usage:counts:x';
    const now = String(Date.now());
    const id = randomUUID();
    await redis.command(
      ...['HSET', counts, 'totals', `7,1,${id}`, 'alpha/main', '4,2026-11-20T08:49:00.000Z,1', 'alpha/bad', '{"a":1}'],
      ...['no-slash', '1,,1', 'alpha/huge', '9999999999999,,1', 'alpha/time', '1,yesterday,1'],
    );
    await redis.command('HSET', 'signing-service:usage:counts:y', 'totals', 'garbage', 'alpha/main', '1,,1');
    await redis.command('HSET', 'signing-service:usage:counts:w', 'totals', `-1,1,${id}`, 'alpha/main', '1,,1');
    await redis.command('HSET', 'signing-service:usage:counts:v', 'totals', `5,1,${id}`, 'alpha/main', '5,,1');
    await redis.command('ZADD', instances, now, 'x', now, 'y', now, 'w', 'inf', 'v', now, 'none', now, '../../z');
    await until(() => expect(one.ledger.usage('alpha', 'main').totalSigns).to.equal(4));
    await until(() => expect(one.ledger.totals()).to.deep.equal({ totalSigns: 7, errorCount: 1 }));
    for (const account of ['bad', 'huge', 'time'])
      expect(one.ledger.usage('alpha', account).totalSigns, account).to.equal(0);
    await until(() => expect(one.ledger.sharing).to.include({ replicas: 2, state: 'current' }));

    await redis.command('SET', counts, 'no hash');
    await redis.command('HSET', 'signing-service:usage:counts:y', 'totals', `1,1,${id}`);
    await signsAre(8, one);
    await until(() => expect(one.ledger.usage('alpha', 'main').totalSigns, 'what was read stays').to.equal(4 + 1));
    await isCurrent(one);
    expect(JSON.stringify(one.log.events)).not.to.match(/garbage|yesterday|no hash/);
  });

  for (const key of ['instances', 'counts:one', 'owner:one']) {
    it(`repairs ${key} when it has another type`, async () => {
      const wrong = key.startsWith('owner') ? 'RPUSH' : 'SET';
      await redis.command(wrong, `signing-service:usage:${key}`, 'something else');
      const [one, two] = [await start('one'), await start('two')];
      sign(one, 2);
      await signsAre(2, one, two);
      await isCurrent(one, two);
    });
  }
});
