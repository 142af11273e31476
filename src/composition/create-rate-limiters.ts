import { MemoryRateLimiter } from '../adapters/driven/rate-limiter/memory-rate-limiter.ts';
import { RedisRateLimiter } from '../adapters/driven/rate-limiter/redis-rate-limiter.ts';
import { RedisReport } from '../adapters/driven/rate-limiter/redis-report.ts';
import type { RateBudget } from '../domain/model/rate-limit.ts';
import type { Clock } from '../ports/clock.ts';
import type { RateLimiter } from '../ports/rate-limiter.ts';
import type { ServiceLog } from '../ports/service-log.ts';
import type { RedisLink } from '../redis/redis-link.ts';
import type { Settings } from './settings.ts';

/**
 * Failed authentications of one address: 600 at once, more than honest clients behind it send
 * before operators notice that tokens expired, then ten a second, whose records fill no disk
 * before an operator sees the log.
 */
const FAILED_PROOFS: RateBudget = { points: 600, windowSeconds: 60 };

/** Everything that is limited; null where nothing bounds it. */
export interface RateLimiters {
  readonly callers: RateLimiter | null;
  readonly accounts: RateLimiter | null;
  /**
   * Failed authentications of each address, whatever the settings say. Never shared: they cost the
   * processor and the audit file of this process alone.
   */
  readonly failures: RateLimiter;
}

/** What limiters work with. */
export interface RateLimiterParts {
  /** Null where each replica counts for itself. */
  readonly link: RedisLink | null;
  readonly clock: Clock;
  readonly log: ServiceLog;
}

/** The limiters that the settings ask for, through Redis where replicas share one. */
export function createRateLimiters(
  { redis, rateLimits }: Settings,
  { link, clock, log }: RateLimiterParts,
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
    failures: new MemoryRateLimiter(FAILED_PROOFS, clock),
  };
}
