import { MemoryRateLimiter } from '../../src/adapters/limits/memory-rate-limiter.ts';
import { RedisRateLimiter, RedisReport } from '../../src/adapters/limits/redis-rate-limiter.ts';
import { SystemClock } from '../../src/adapters/node/system-clock.ts';
import { WinstonServiceLog } from '../../src/adapters/observability/winston-service-log.ts';
import { parseRedisUrl } from '../../src/adapters/redis/redis-address.ts';
import { loadRedisClient } from '../../src/adapters/redis/redis-connection.ts';
import { RedisLink } from '../../src/adapters/redis/redis-link.ts';
import type { RateBudget } from '../../src/domain/model/refusal.ts';
import type { RateLimiter } from '../../src/ports/rate-limiter.ts';
import { samplePlatform, samplePrivateKey } from '../../tests/doubles/credential-builder.ts';
import { RedisServer } from '../../tests/redis/redis-server.ts';
import { CONTEXT, createWorkbench } from '../../tests/unit/domain/services/signing-workbench.ts';
import { median } from '../proof/statistics.ts';

/*
 * Cost of account rate limits: microseconds a signature without limits, in memory and through a
 * local Redis, sequentially and 64 at a time, with an in-memory audit record; memory of 100,000
 * keys (docs/decisions/0016-rate-limits.md). Half a minute.
 */

const ROUNDS = 9;
const SIGNATURES = 2048;
const KEYS = 100_000;
/** Never exceeded. */
const BUDGET: RateBudget = { points: 1_000_000, windowSeconds: 1 };
const REQUEST = { platformId: 'alpha', accountId: 'main', data: { a: 1 } };

type Sign = () => Promise<void>;

function signer(accountLimiter?: RateLimiter): Sign {
  const bench = createWorkbench(accountLimiter === undefined ? {} : { accountLimiter });
  bench.serve([samplePlatform()], [bench.enrol({}, samplePrivateKey(1))]);
  return async () => {
    const outcome = await bench.signing.sign(REQUEST, CONTEXT);
    if (!outcome.ok) throw new Error(outcome.refusal.message);
  };
}

/** Microseconds a signature, of callers in a closed loop. */
async function round(sign: Sign, callers: number): Promise<number> {
  const from = process.hrtime.bigint();
  const each = async () => {
    for (let nth = 0; nth < SIGNATURES / callers; nth += 1) await sign();
  };
  await Promise.all(Array.from({ length: callers }, each));
  return Number(process.hrtime.bigint() - from) / SIGNATURES / 1000;
}

/** Limiters alternate, so that noise affects all alike. */
async function measureSigning(limiters: { readonly [name: string]: RateLimiter | undefined }): Promise<void> {
  for (const callers of [1, 64]) {
    const times = new Map(Object.keys(limiters).map((name) => [name, [] as number[]]));
    for (let nth = 0; nth <= ROUNDS; nth += 1) {
      for (const [name, limiter] of Object.entries(limiters)) {
        // New each time: its records stay in memory.
        const time = await round(signer(limiter), callers);
        if (nth > 0) times.get(name)?.push(time);
      }
    }
    const medians = [...times].map(([name, values]) => [name, median(values)] as const);
    const base = medians[0]?.[1] ?? Number.NaN;
    process.stdout.write(`\nA signature, ${callers} at a time\n`);
    for (const [name, time] of medians) {
      process.stdout.write(`  ${name.padEnd(32)} ${time.toFixed(1).padStart(7)} µs  ${(time / base).toFixed(2)}\n`);
    }
  }
}

async function measureKeys(): Promise<void> {
  const limiter = new MemoryRateLimiter({ points: 10, windowSeconds: 3600 }, new SystemClock());
  const keys = Array.from({ length: KEYS }, (_, nth) => `address:2001:db8:${nth.toString(16)}:0::/64`);
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  let longest = 0;
  const from = performance.now();
  for (const key of keys) {
    const began = performance.now();
    await limiter.take([{ key, points: 1, minPoints: 1 }]);
    longest = Math.max(longest, performance.now() - began);
  }
  const ms = performance.now() - from;
  globalThis.gc?.();
  const bytes = (process.memoryUsage().heapUsed - before) / KEYS;
  process.stdout.write(
    `\n${limiter.size} keys in memory: ${bytes.toFixed(0)} bytes each beside the text of the key; ${((ms / KEYS) * 1000).toFixed(1)} µs to take from one, ${longest.toFixed(1)} ms at the longest\n`,
  );
}

await measureKeys();
const redis = await RedisServer.start();
const address = parseRedisUrl(redis.url);
if (address === null) throw new Error(`${redis.url} is none.`);
const link = new RedisLink({ address, passwordFile: null, library: await loadRedisClient() });
const clock = new SystemClock();
const report = new RedisReport(address.shown, clock, new WinstonServiceLog('warn', { pretty: false }));
const own = new MemoryRateLimiter(BUDGET, clock);
try {
  await measureSigning({
    'without limits': undefined,
    'with limits in memory': new MemoryRateLimiter(BUDGET, clock),
    'with limits through Redis': new RedisRateLimiter({ name: 'account', link, own, report }),
  });
} finally {
  link.close();
  await redis.remove();
}
