import type { AuditOutcome } from '../model/audit-entry.ts';
import type { Outcome } from '../model/outcome.ts';
import type { RefusalCode } from '../model/refusal.ts';

/** What is no fault of the request. */
const FAULTS_OF_THE_SERVICE: readonly RefusalCode[] = ['SIGNATURE_FAILED', 'CONFIG_LOAD_FAILED'];

/** Whether something was done, and if not, whose fault that is. */
export function auditOutcomeOf(outcome: Outcome<unknown>): AuditOutcome {
  if (outcome.ok) return 'success';
  return FAULTS_OF_THE_SERVICE.includes(outcome.refusal.code) ? 'failed' : 'refused';
}
