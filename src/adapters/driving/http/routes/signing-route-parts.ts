import type { Clock } from '../../../../ports/clock.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import type { MalformedSigningRequests } from '../malformed-signing-requests.ts';
import type { SigningIntake } from '../overload/signing-intake.ts';

/** What the endpoints that sign and verify share. */
export interface SigningRouteParts {
  readonly intake: SigningIntake;
  readonly malformed: MalformedSigningRequests;
  readonly clock: Clock;
  readonly log: ServiceLog;
}
