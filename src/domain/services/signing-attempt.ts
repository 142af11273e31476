import type { Account } from '../model/account.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { Platform } from '../model/platform.ts';
import type { SignedResult } from '../model/signed-result.ts';

/** How far one signing attempt came, and how it ended; what is absent was not reached. Not released yet. */
export interface SigningAttempt {
  readonly platform?: Platform;
  readonly account?: Account;
  readonly payload?: Payload;
  readonly outcome: Outcome<SignedResult>;
}
