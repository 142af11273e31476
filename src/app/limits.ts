import { statePath } from '../adapters/files/state-file.ts';
import { FileWindowLedger } from '../adapters/limits/file-window-ledger.ts';
import { BUDGETS, RATES } from '../adapters/limits/ledger-kind.ts';
import { MemoryWindowLedger } from '../adapters/limits/memory-window-ledger.ts';
import { getRateSharing, RedisWindowLedger, shareRates } from '../adapters/limits/redis-window-ledger.ts';
import type { RateLimit, RateLimiter, RateLimiters, WindowLedger } from '../ports/window-ledger.ts';
import type { Adapters } from './adapters.ts';
import type { Settings } from './settings/settings.ts';

/**
 * Failed authentications of an address: 600 within a minute, more than honest clients send until
 * expired tokens are noticed, and ten a second on average, so that their records fill no disk.
 */
const FAILED_AUTHENTICATIONS: RateLimit = { points: 600, windowSeconds: 60 };

const NOT_SHARED = { shared: false, state: 'current', apartSince: null, reason: null } as const;

/** Without `redis` each replica counts for itself. */
type LimitPorts = Pick<Adapters, 'clock' | 'log' | 'redis'>;

/** The limiters of the settings, through Redis where replicas share them. */
export function createRateLimiters(
  { redis, rateLimits }: Settings,
  { redis: link, clock, log }: LimitPorts,
): RateLimiters {
  const shared = redis && link && new RedisWindowLedger({ kind: RATES, link, redis: redis.address.shown, clock, log });
  const limiter = (name: string, limit: RateLimit): RateLimiter => {
    const own = new MemoryWindowLedger(clock);
    return { ...limit, ledger: shared === null ? own : shareRates(name, shared, own) };
  };
  const { perCaller, perAccount } = rateLimits;
  return {
    callers: perCaller && limiter('callers', perCaller),
    accounts: perAccount && limiter('accounts', perAccount),
    failures: { ...FAILED_AUTHENTICATIONS, ledger: new MemoryWindowLedger(clock) },
    get sharing() {
      return shared === null ? NOT_SHARED : getRateSharing(shared);
    },
  };
}

/** In memory and a file beside the audit file, or in Redis where replicas share it. */
export function createBudgetLedger(
  { redis, auditFile }: Settings,
  { redis: link, clock, log }: LimitPorts,
): WindowLedger {
  if (redis === null || link === null)
    return new FileWindowLedger({ file: statePath(auditFile, 'budgets'), clock, log });
  return new RedisWindowLedger({ kind: BUDGETS, link, redis: redis.address.shown, clock, log });
}
