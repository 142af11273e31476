import { MemoryReplayGuard } from '../adapters/driven/replay-guard/memory-replay-guard.ts';
import { RedisReplayGuard } from '../adapters/driven/replay-guard/redis-replay-guard.ts';
import { ReplayReport } from '../adapters/driven/replay-guard/replay-report.ts';
import type { ReplayGuard } from '../ports/replay-guard.ts';
import type { RateLimiterParts } from './create-rate-limiters.ts';
import type { Settings } from './settings.ts';

/**
 * In memory without Redis, and then the log says until when a start has requests refused; else
 * through Redis, and no request waits for its first connection.
 */
export async function createReplayGuard(
  { redis }: Settings,
  { link, clock, log }: RateLimiterParts,
): Promise<ReplayGuard> {
  if (redis === null || link === null) {
    const guard = new MemoryReplayGuard(clock);
    const fault = await guard.fault();
    if (fault !== null) log.warn(fault);
    return guard;
  }
  const guard = new RedisReplayGuard({ link, clock, report: new ReplayReport(redis.address.shown, clock, log) });
  void guard.begin();
  return guard;
}
