import type { Clock } from '../../../../ports/clock.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import type { CallerLimits } from '../callers/caller-limits.ts';
import type { SigningIntake } from '../overload/signing-intake.ts';
import type { RecordedRefusals } from '../recorded-refusals.ts';

/** What the endpoints that sign and verify share. */
export interface SigningRouteParts {
  readonly intake: SigningIntake;
  /** What each caller may ask for; null where nothing bounds it. */
  readonly limits: CallerLimits | null;
  readonly refusals: RecordedRefusals;
  readonly clock: Clock;
  readonly log: ServiceLog;
}
