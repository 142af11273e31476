import { MemoryReplayGuard } from '../../src/adapters/auth/memory-replay-guard.ts';
import { TIME_WINDOW_MS } from '../../src/domain/model/authentication.ts';
import type { Clock } from '../../src/ports/clock.ts';

/** A guard that started a time window ago, so that it accepts new keys. */
export function settledReplayGuard(clock: Pick<Clock, 'now'>): MemoryReplayGuard {
  let agoMs = TIME_WINDOW_MS;
  const guard = new MemoryReplayGuard({ now: () => clock.now() - agoMs });
  agoMs = 0;
  return guard;
}
