import { MemoryReplayGuard } from '../../src/adapters/auth/memory-replay-guard.ts';
import { TIME_WINDOW_MS } from '../../src/domain/model/authentication.ts';
import type { Clock } from '../../src/ports/clock.ts';
import type { ReplayGuard } from '../../src/ports/replay-guard.ts';
import { RecordingServiceLog } from './recording-service-log.ts';

/** A guard that started a time window ago, so that it accepts new keys; it has no file. */
export function settledReplayGuard(clock: Pick<Clock, 'now'>): ReplayGuard {
  let agoMs = TIME_WINDOW_MS;
  const guard = new MemoryReplayGuard({
    file: '',
    clock: { now: () => clock.now() - agoMs },
    log: new RecordingServiceLog(),
  });
  agoMs = 0;
  return {
    start: async () => undefined,
    claim: (key) => guard.claim(key),
    unavailability: () => guard.unavailability(),
    close: async () => undefined,
  };
}
