import { type ErrorContext, SigningClientError } from './client-error.ts';
import type { ServiceError } from './service-error.ts';

/** Why an answer is not believed (docs/AUTHENTICATION.md, What a client looks at). */
export type UntrustedReason =
  | 'UNSIGNED'
  | 'MALFORMED'
  | 'UNKNOWN_AUTHORITY'
  | 'WRONG_SERVICE'
  | 'TOKEN_EXPIRED'
  | 'WRONG_NONCE'
  | 'INVALID_SIGNATURE';

/** With mutual authentication: an answer that is not, or not provably, the service's. Refusals of the proof itself (401) are never signed, so they come as this. */
export class UntrustedAnswerError extends SigningClientError {
  override readonly kind = 'untrusted';
  readonly reason: UntrustedReason;
  /** What the answer says, where it says no. Anybody between could have written it: it helps to find the fault, and proves nothing. */
  readonly claimed: ServiceError | null;

  constructor(reason: UntrustedReason, claimed: ServiceError | null, context: ErrorContext) {
    const says = claimed === null ? '' : ` It says ${claimed.status} ${claimed.message}${reasonOf(claimed)}`;
    super(`The answer is not provably the service's (${reason}).${says}`, context);
    this.reason = reason;
    this.claimed = claimed;
  }
}

function reasonOf({ details }: ServiceError): string {
  const reason = details['reason'];
  return typeof reason === 'string' ? ` (${reason})` : '';
}
