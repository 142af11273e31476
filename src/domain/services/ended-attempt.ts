import type { EndedAttempt } from '../../ports/metrics.ts';
import type { Outcome } from '../model/outcome.ts';
import { auditOutcomeOf } from './audit-outcome.ts';
import type { SigningAttempt } from './signing-attempt.ts';
import type { VerificationAttempt } from './verification-attempt.ts';

/**
 * How an attempt ended, as it is counted: nothing that its caller made up, and nothing that says which account it was about.
 * @param outcome what its caller is told, which is not what came of the attempt where that could not be recorded
 */
export function endedAttempt(
  operation: EndedAttempt['operation'],
  { platform, account }: SigningAttempt | VerificationAttempt,
  outcome: Outcome<unknown>,
  durationMs: number,
): EndedAttempt {
  return {
    operation,
    platformId: platform?.platformId ?? null,
    algorithm: account?.algorithm ?? null,
    outcome: auditOutcomeOf(outcome),
    fault: outcome.ok ? null : { code: outcome.refusal.code, reason: reasonOf(outcome.refusal.details) },
    durationMs,
  };
}

function reasonOf({ reason }: { readonly [name: string]: unknown }): string | null {
  return typeof reason === 'string' ? reason : null;
}
