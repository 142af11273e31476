import { MemoryReplayGuard } from '../../src/adapters/driven/replay-guard/memory-replay-guard.ts';
import { TIME_WINDOW_MS } from '../../src/domain/model/authentication.ts';
import type { Clock } from '../../src/ports/clock.ts';

/**
 * The guard of a process that began as long ago as the time window: it takes what is made from now
 * on.
 */
export function settledReplayGuard(clock: Pick<Clock, 'now'>): MemoryReplayGuard {
  let agoMs = TIME_WINDOW_MS;
  const guard = new MemoryReplayGuard({ now: () => clock.now() - agoMs });
  agoMs = 0;
  return guard;
}
