import { expect } from 'chai';
import { BUDGET_PREFIX, RedisBudgetLedger } from '../../../../src/adapters/limits/redis-budget-ledger.ts';
import type { Redis, RedisReply } from '../../../../src/adapters/redis/redis.ts';
import type { BudgetDemand } from '../../../../src/domain/model/attempt.ts';
import type { BudgetLedger } from '../../../../src/ports/budget-ledger.ts';
import { describeBudgetLedgerContract } from '../../../contracts/budget-ledger-contract.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { describeWithRedis } from '../../../redis/describe-with-redis.ts';
import { atTime, linkTo } from '../../../redis/link-to.ts';
import { RedisServer } from '../../../redis/redis-server.ts';
import { until } from '../../../redis/until.ts';

/** The time of the Redis of the contract. */
const time = new FixedClock();

const KEY = `${BUDGET_PREFIX}daily:alpha/main`;

function demand(units: number, more: Partial<BudgetDemand> = {}): BudgetDemand {
  return { key: 'daily:alpha/main', units, maxUnits: 1_000_000_000_000, exponent: -3, windowSeconds: 60, ...more };
}

const charge = async (ledger: BudgetLedger, units: number, more: Partial<BudgetDemand> = {}) =>
  (await ledger.charge([demand(units, more)])).outcome;

describeWithRedis('RedisBudgetLedger', () => {
  const links: Redis[] = [];
  let server: RedisServer;

  before(async () => {
    server = await RedisServer.start();
  });
  after(() => server.remove());
  beforeEach(async () => {
    await server.startAgainIfEnded();
    await server.command('FLUSHALL');
  });
  afterEach(() => {
    for (const link of links.splice(0)) link.close();
  });

  /** The ledger of one replica. */
  async function replica({ through = (link: Redis): ReturnType<typeof atTime> => link, user = '' } = {}) {
    const timings = { replyTimeoutMs: 10_000, pauseMs: 100 };
    const link = await linkTo(server.url.replace('//', `//${user}`), { timings });
    links.push(link);
    const log = new RecordingServiceLog();
    const parts = { redis: server.url, log };
    return { ledger: new RedisBudgetLedger({ link: through(link), ...parts }), log };
  }

  describeBudgetLedgerContract('RedisBudgetLedger', {
    make: async () => {
      await server.command('FLUSHALL');
      return (await replica({ through: (link) => atTime(link, time) })).ledger;
    },
    wait: (milliseconds) => time.advance(milliseconds),
  });

  it('shares what was charged between replicas', async () => {
    const [{ ledger: one }, { ledger: two }] = [await replica(), await replica()];
    const outcomes = await Promise.all(
      [one, two, one, two, one, two, one, two].map((ledger) => charge(ledger, 1, { maxUnits: 6 })),
    );
    expect(outcomes.filter((outcome) => outcome === 'charged')).to.have.length(6);
  });

  it('stores a budget under a key that expires with its window, exactly in units', async () => {
    const { ledger } = await replica();
    await charge(ledger, 999_999_999_998);
    await charge(ledger, 1);
    expect(await server.command('KEYS', '*')).to.deep.equal([KEY]);
    const sums = String(await server.command('GET', KEY)).match(/ -3 (\d+);/g) ?? [];
    expect(sums.reduce((sum, text) => sum + Number(text.slice(4, -1)), 0)).to.equal(999_999_999_999);
    expect(await server.command('PTTL', KEY)).to.be.within(60_000, 61_000);
    expect(await charge((await replica()).ledger, 2), 'after a restart').to.equal('exceeded');
  });

  it('charges nothing while Redis is down, says so once, and charges again after', async () => {
    const { ledger, log } = await replica();
    const given = await ledger.charge([demand(1)]);
    await server.kill();
    expect([await charge(ledger, 1), await charge(ledger, 1)]).to.deep.equal(['unavailable', 'unavailable']);
    expect(await ledger.check([demand(1)])).to.deep.equal({ outcome: 'unavailable' });
    if (given.outcome === 'charged') await given.refund();
    expect(log.events.map(({ level }) => level)).to.deep.equal(['error']);
    expect(log.events[0]?.message).to.match(/BUDGET_UNAVAILABLE.*Redis: /);
    await server.startAgain();
    await until(async () => expect(await charge(ledger, 1)).to.equal('charged'));
    expect(log.events.map(({ level }) => level)).to.deep.equal(['error', 'info']);
  });

  it('charges nothing to a key that holds something else', async () => {
    for (const value of ['', 'x', '1 2', '1 2 3; ', '1 2 -3;', '1 2 3;4']) {
      await server.command('SET', KEY, value);
      const { ledger } = await replica();
      expect(await charge(ledger, 1), value).to.equal(value === '' ? 'charged' : 'unavailable');
    }
    await server.command('DEL', KEY);
    await server.command('HSET', KEY, 'a', '1');
    expect(await charge((await replica()).ledger, 1)).to.equal('unavailable');
  });
});

describe('RedisBudgetLedger', () => {
  it('takes no reply for a charge that is none', async () => {
    const replies: readonly RedisReply[] = [
      null,
      'OK',
      [],
      [[], []],
      [[1]],
      [[2], [1]],
      [[0], [1]],
      [[], ['1']],
      [1, [1]],
    ];
    for (const reply of replies) {
      const log = new RecordingServiceLog();
      const link = { send: async () => [reply] };
      const ledger = new RedisBudgetLedger({ link, redis: 'redis://127.0.0.1:1/0', log });
      expect(await charge(ledger, 1), JSON.stringify(reply)).to.equal('unavailable');
    }
  });
});
