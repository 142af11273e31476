import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import fc from 'fast-check';
import { BUDGETS, type LedgerKind, RATES } from '../../../../src/adapters/limits/ledger-kind.ts';
import { MemoryWindowLedger } from '../../../../src/adapters/limits/memory-window-ledger.ts';
import { getRateSharing, RedisWindowLedger, shareRates } from '../../../../src/adapters/limits/redis-window-ledger.ts';
import { charge, type Part } from '../../../../src/adapters/limits/window.ts';
import { SystemClock } from '../../../../src/adapters/node/system-clock.ts';
import type { Redis, RedisReply } from '../../../../src/adapters/redis/redis.ts';
import type { Charged, WindowLedger } from '../../../../src/ports/window-ledger.ts';
import { demandOf, describeWindowLedgerContract, grantedBy } from '../../../contracts/window-ledger-contract.ts';
import { FixedClock } from '../../../doubles/fixed-clock.ts';
import { RecordingServiceLog } from '../../../doubles/recording-service-log.ts';
import { describeWithRedis } from '../../../redis/describe-with-redis.ts';
import { atTime, linkTo } from '../../../redis/link-to.ts';
import { RedisServer } from '../../../redis/redis-server.ts';
import { until } from '../../../redis/until.ts';
import { isSettled } from '../../domain/services/is-settled.ts';

/** A wait for Redis outlasts the test, except in tests of such waits. */
const NEVER_MS = 600_000;
/** The time of Redis in tests that need one. */
const time = new FixedClock();

const CURRENT = { shared: true, state: 'current', apartSince: null, reason: null };
const KEY = 'signing-service:budget:daily:alpha/main';

describeWithRedis('RedisWindowLedger', () => {
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
  async function replica(
    kind: LedgerKind,
    { through = (link: Redis): ReturnType<typeof atTime> => link, user = '', replyTimeoutMs = NEVER_MS } = {},
  ) {
    const link = await linkTo(server.url.replace('//', `//${user}`), { timings: { replyTimeoutMs, pauseMs: 100 } });
    links.push(link);
    const [clock, log] = [new SystemClock(), new RecordingServiceLog()];
    return { ledger: new RedisWindowLedger({ kind, link: through(link), redis: server.url, clock, log }), log };
  }

  /** The rate limit of one replica, with its own counts. */
  async function limiter(more: { readonly replyTimeoutMs?: number; readonly user?: string } = {}) {
    const { ledger: shared, log } = await replica(RATES, more);
    return { shared, log, ledger: shareRates('accounts', shared, new MemoryWindowLedger(new SystemClock())) };
  }

  /** One of two points. */
  const take = async (ledger: WindowLedger) => (await grantedBy(ledger, demandOf(1, { maxUnits: 2 })))?.[0];

  for (const kind of [BUDGETS, RATES]) {
    describeWindowLedgerContract(`RedisWindowLedger, ${kind.topic}`, {
      counting: kind,
      make: async () => {
        await server.command('FLUSHALL');
        return (await replica(kind, { through: (link) => atTime(link, time) })).ledger;
      },
      wait: (milliseconds) => time.set(time.now() + milliseconds),
    });

    it(`decides like memory, ${kind.topic}`, async () => {
      const { ledger } = await replica(kind, { through: (link) => atTime(link, time) });
      const limit = fc.record({
        maxUnits: fc.constantFrom(7, 10, 100, 1_000_000),
        exponent: fc.constantFrom(-3, -1, 0, 2, 3),
        // Keys expire in real time.
        windowSeconds: fc.constantFrom(600, 4200, 36_000),
      });
      const demand = fc
        .tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(12), fc.integer({ min: 1, max: 9 }), limit)
        .map(([key, units, minUnits, more]) => ({ key, units, minUnits, ...more }));
      const step = fc.record({
        demands: fc.uniqueArray(demand, { selector: ({ key }) => key, maxLength: 3 }),
        pauseMs: fc.oneof(fc.nat(3_000_000), fc.integer({ min: -2_000_000, max: 60_000_000 })),
        isRefunded: fc.boolean(),
      });
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
          runs += 1;
          const memory = new Map<string, readonly Part[]>();
          for (const { demands, pauseMs, isRefunded } of steps) {
            time.set(time.now() + pauseMs);
            const named = demands.map((one) => ({ ...one, key: `${runs}:${one.key}` }));
            const replies = [charge(memory, named, kind, time.now()), await ledger.charge(named)];
            const [own, shared] = replies.map((charged) =>
              charged?.grants.map(({ granted, isRefused, retryAfterMs }) => {
                return [granted, isRefused, ...[1, 5, 1000].map((units) => retryAfterMs(units))];
              }),
            );
            expect(shared).to.deep.equal(own);
            if (isRefunded) for (const charged of replies as readonly Charged[]) await charged.refund();
          }
        }),
        { numRuns: 100 },
      );
    });
  }

  it('stores charges exactly, under a key that expires with them', async () => {
    const { ledger } = await replica(BUDGETS);
    await grantedBy(ledger, demandOf(3_999_999_999_998));
    await grantedBy(ledger, demandOf(1));
    await grantedBy(ledger, demandOf(0, { key: 'checked' }));
    expect(await server.command('KEYS', '*')).to.deep.equal([KEY]);
    const sums = String(await server.command('GET', KEY)).match(/ -8 (\d+);/g) ?? [];
    expect(sums.reduce((sum, text) => sum + Number(text.slice(4, -1)), 0)).to.equal(3_999_999_999_999);
    expect(await server.command('PTTL', KEY)).to.be.within(60_000, 61_000);
  });

  it('is unavailable while Redis is down, logs it once, and reports its end without a request', async () => {
    for (const [kind, level] of [
      [BUDGETS, 'error'],
      [RATES, 'warn'],
    ] as const) {
      const { ledger, log } = await replica(kind);
      const charged = await ledger.charge([demandOf(1)]);
      expect(getRateSharing(ledger)).to.deep.equal(CURRENT);
      await server.kill();
      for (let nth = 0; nth < 3; nth += 1) expect(await ledger.charge([demandOf(1)])).to.equal(null);
      await charged?.refund();
      expect(getRateSharing(ledger)).to.include({ shared: true, state: 'apart' });
      expect(getRateSharing(ledger).reason).to.match(/^Redis: /);
      expect(log.events.map((event) => event.level)).to.deep.equal([level]);
      expect(log.events[0]?.message).to.include(`${kind.outage} Redis: `);
      await server.startAgain();
      await until(() => expect(getRateSharing(ledger)).to.deep.equal(CURRENT));
      expect(log.events.map((event) => event.level)).to.deep.equal([level, 'info']);
      expect(await grantedBy(ledger, demandOf(1))).to.deep.equal([1]);
    }
  });

  it('delays only the requests sent to a hanging Redis, up to the timeout, and counts by itself then', async () => {
    const { ledger, shared } = await limiter({ replyTimeoutMs: 150 });
    expect(await take(ledger)).to.equal(1);
    server.pause();
    try {
      expect(await Promise.all([take(ledger), take(ledger), take(ledger)])).to.deep.equal([1, 1, 0]);
      for (let count = 0; count < 5; count += 1) {
        expect(await isSettled(take(ledger))).to.equal(true);
        await sleep(10);
      }
    } finally {
      server.goOn();
    }
    await until(() => expect(getRateSharing(shared)).to.include({ state: 'current' }));
  });

  it('charges no budget whose key contains something else, and replaces that of a rate', async () => {
    const [budgets, rates] = [await replica(BUDGETS), await replica(RATES)];
    const key = demandOf(1).key;
    const [nines, end] = ['9'.repeat(400), Date.now() + 1000];
    const long = [nines, '9'.repeat(16_000), `${end} 0 ${nines};`, `${end} -${nines} 1;`, '1 2 3;'.repeat(3000)];
    const contents = ['x', '1 2', '1 2 3; ', '1 2 -3;', '1 2 3;4', ...long, null];
    for (const content of contents) {
      for (const { prefix } of [BUDGETS, RATES]) {
        await server.command('DEL', `${prefix}${key}`);
        if (content === null) await server.command('HSET', `${prefix}${key}`, 'a', '1');
        else await server.command('SET', `${prefix}${key}`, content);
      }
      expect(await grantedBy(budgets.ledger, demandOf(1)), `${content}`).to.equal(null);
      expect(await grantedBy(rates.ledger, demandOf(1)), `${content}`).to.deep.equal([1]);
    }
    expect(budgets.log.events[0]?.message).to.include('unexpected type or value (WRONGTYPE)');
    expect(rates.log.events).to.deep.equal([]);
  });

  it('counts exactly, and in a short value, while replicas differ in maximum and window', async () => {
    const { ledger } = await replica(BUDGETS);
    const limits = [
      { maxUnits: 900, exponent: 0, windowSeconds: 86_400 },
      { maxUnits: 9000, exponent: -1, windowSeconds: 43_200 },
    ];
    for (let nth = 0; nth < 1000; nth += 1) {
      const units = nth % 2 === 0 ? 1 : 10;
      const [granted] = (await grantedBy(ledger, demandOf(units, limits[nth % 2]))) ?? [];
      expect(granted, `charge ${nth}`).to.equal(nth < 900 ? units : 0);
    }
    expect(await server.command('STRLEN', KEY)).to.be.below(200);
  });

  it('is available again once its user has the missing permission', async () => {
    await server.command('ACL', 'SETUSER', 'late', 'on', '>correct-h0rse', '~*', '+set', '+time', '+eval');
    for (const missing of ['get', 'eval']) {
      await server.command('ACL', 'SETUSER', 'late', `-${missing}`);
      const { ledger, shared } = await limiter({ user: 'late:correct-h0rse@' });
      await take(ledger);
      expect(getRateSharing(shared), missing).to.include({ state: 'apart' });
      await server.command('ACL', 'SETUSER', 'late', `+${missing}`);
      await until(() => expect(getRateSharing(shared)).to.include({ state: 'current' }));
    }
    // The key of the trial expires within milliseconds.
    await until(async () => expect(await server.command('KEYS', '*')).to.deep.equal([]));
  });
});

describe('RedisWindowLedger', () => {
  it('is unavailable after an unexpected reply', async () => {
    const replies = [null, 'OK', [], [1], [1, []], [1, [[1, 0, 1]]], [1, [[-1, 0, 1, '']]], [1, [[1, 0, 1, 'x']]]];
    for (const reply of replies as readonly RedisReply[]) {
      const link = { send: async () => [reply], isClosed: true, pauseMs: 1000 };
      const [clock, log] = [new SystemClock(), new RecordingServiceLog()];
      const ledger = new RedisWindowLedger({ kind: BUDGETS, link, redis: 'redis://127.0.0.1:1/0', clock, log });
      expect(await grantedBy(ledger, demandOf(1)), JSON.stringify(reply)).to.equal(null);
      expect(log.events[0]?.message).to.include('unexpected reply from the script');
    }
  });
});
