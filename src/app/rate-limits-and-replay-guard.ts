import { MemoryReplayGuard, replayPath } from '../adapters/auth/memory-replay-guard.ts';
import { RedisReplayGuard } from '../adapters/auth/redis-replay-guard.ts';
import { budgetPath } from '../adapters/limits/budget-file.ts';
import { MemoryBudgetLedger } from '../adapters/limits/memory-budget-ledger.ts';
import { MemoryRateLimiter } from '../adapters/limits/memory-rate-limiter.ts';
import { RedisBudgetLedger } from '../adapters/limits/redis-budget-ledger.ts';
import { RedisRateLimiter, RedisReport } from '../adapters/limits/redis-rate-limiter.ts';
import type { BudgetLedger } from '../ports/budget-ledger.ts';
import type { RateBudget, RateLimiters } from '../ports/rate-limiter.ts';
import type { ReplayGuard } from '../ports/replay-guard.ts';
import type { Adapters } from './adapters.ts';
import type { Settings } from './settings/settings.ts';

/**
 * Failed authentications of an address: 600 at once, more than honest clients send until expired
 * tokens are noticed, then ten a second, so that their records fill no disk.
 */
const FAILED_AUTHENTICATIONS: RateBudget = { points: 600, windowSeconds: 60 };

/** Without `redis` each replica counts for itself. */
type LimitPorts = Pick<Adapters, 'clock' | 'log' | 'redis'>;

/** The limiters of the settings, through Redis where replicas share them. */
export function createRateLimiters(
  { redis, rateLimits }: Settings,
  { redis: link, clock, log }: LimitPorts,
): RateLimiters {
  const report = redis === null ? null : new RedisReport(redis.address.shown, clock, log);
  const limiter = (name: string, budget: RateBudget | null) => {
    if (budget === null) return null;
    const own = new MemoryRateLimiter(budget, clock);
    return link === null || report === null ? own : new RedisRateLimiter({ name, link, own, report });
  };
  const { perCaller, perAccount } = rateLimits;
  return {
    callers: limiter('caller', perCaller),
    accounts: limiter('account', perAccount),
    failures: new MemoryRateLimiter(FAILED_AUTHENTICATIONS, clock),
  };
}

/** In memory and a file beside the audit file, or in Redis where replicas share it. */
export function createBudgetLedger(
  { redis, auditFile }: Settings,
  { redis: link, clock, log }: LimitPorts,
): BudgetLedger {
  if (redis === null || link === null) return new MemoryBudgetLedger({ file: budgetPath(auditFile), clock, log });
  return new RedisBudgetLedger({ link, redis: redis.address.shown, log });
}

/** In memory and a file beside the audit file, or in Redis where replicas share it. */
export function createReplayGuard(
  { redis, auditFile }: Settings,
  { redis: link, clock, log }: LimitPorts,
): ReplayGuard {
  if (redis === null || link === null) return new MemoryReplayGuard({ file: replayPath(auditFile), clock, log });
  return new RedisReplayGuard({ link, redis: redis.address.shown, clock, log });
}
