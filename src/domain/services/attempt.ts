import type { EndedAttempt } from '../../ports/metrics.ts';
import type { Account } from '../model/account.ts';
import type { AuditOutcome } from '../model/audit-entry.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { Platform } from '../model/platform.ts';
import type { Refusal, RefusalCode } from '../model/refusal.ts';
import type { SignedResult } from '../model/signed-result.ts';
import type { VerifiedResult } from '../model/verify-request.ts';

/** How far an attempt came, and how it ended; what is absent was not reached. Not released yet. */
export interface Attempt<Result> {
  readonly platform?: Platform;
  readonly account?: Account;
  readonly payload?: Payload;
  readonly outcome: Outcome<Result>;
}

/** An attempt to sign. */
export type SigningAttempt = Attempt<SignedResult>;

/** An attempt to verify a signature. */
export type VerificationAttempt = Attempt<VerifiedResult>;

/** Failures of the service; every other refusal is a fault of the request. */
const SERVICE_FAILURES: readonly RefusalCode[] = ['SIGNATURE_FAILED', 'CONFIG_LOAD_FAILED'];

/** The outcome as audit records and metrics name it: done, or if not, whose fault that is. */
export function auditOutcomeOf(outcome: Outcome<unknown>): AuditOutcome {
  if (outcome.ok) return 'success';
  return SERVICE_FAILURES.includes(outcome.refusal.code) ? 'failed' : 'refused';
}

/**
 * How an attempt ended, as metrics count it: nothing that the caller made up, and nothing that
 * names the account.
 * @param outcome what the caller gets: not that of the attempt where this could not be recorded
 */
export function endedAttempt(
  operation: EndedAttempt['operation'],
  { platform, account }: Attempt<unknown>,
  outcome: Outcome<unknown>,
  durationMs: number,
): EndedAttempt {
  return {
    operation,
    platformId: platform?.platformId ?? null,
    algorithm: account?.algorithm ?? null,
    outcome: auditOutcomeOf(outcome),
    fault: outcome.ok ? null : { code: outcome.refusal.code, reason: reasonOf(outcome.refusal) },
    durationMs,
  };
}

function reasonOf({ details }: Refusal): string | null {
  const { reason } = details;
  return typeof reason === 'string' ? reason : null;
}
