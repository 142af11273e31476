import type { Account } from '../model/account.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { Platform } from '../model/platform.ts';
import type { VerifiedResult } from '../model/verify-request.ts';

/** How far one verification came, and how it ended; what is absent was not reached. Not told to anybody yet. */
export interface VerificationAttempt {
  readonly platform?: Platform;
  readonly account?: Account;
  readonly payload?: Payload;
  readonly outcome: Outcome<VerifiedResult>;
}
