import type { Account } from './account.ts';
import type { Algorithm } from './algorithm.ts';
import type { AuditOutcome } from './audit-entry.ts';
import type { Payload } from './payload.ts';
import type { NamedRule, Platform } from './platform.ts';
import type { PolicyDecision } from './policy.ts';
import type { Outcome, Refusal } from './refusal.ts';
import type { Registry } from './registry.ts';
import type { CallContext, DryRunResult, SignedResult, SignRequest, VerifiedResult } from './sign-request.ts';

/** What a request takes of a rate limit, or of a budget of its account. */
export interface Demand {
  /** Whose limit, and which: up to a few hundred characters. */
  readonly key: string;
  /** In units of 10^exponent, rounded up. An integer; 0 charges none and checks `minUnits`. */
  readonly units: number;
  /** Charges none below this. An integer, at least 1. */
  readonly minUnits: number;
  /** Of all charges within the window, in the same units. An integer below 10^13. */
  readonly maxUnits: number;
  /** May change between calls, with the maximum. */
  readonly exponent: number;
  readonly windowSeconds: number;
}

/** What callers attempt with an account. */
export const ATTEMPT_OPERATIONS = ['sign', 'dry-run', 'verify'] as const;

/** What an attempt has taken of its account's budgets. */
export interface Charge {
  readonly demands: readonly Demand[];
  /** Never rejects. */
  refund(): Promise<void>;
}

/** What an attempt comes to. */
export type AttemptResult = SignedResult | DryRunResult | VerifiedResult;

/**
 * A request on its way from the caller to the audit record, and what the steps found. Null parts
 * were not reached.
 */
export interface Attempt<Result extends AttemptResult = AttemptResult> {
  readonly operation: (typeof ATTEMPT_OPERATIONS)[number];
  readonly request: SignRequest;
  readonly context: CallContext;
  /** The caller's requestId within a batch, else null. */
  readonly batchRequestId: string | null;
  /** Monotonic clock; of a batch item when its time slice begins. */
  startedAt: number;

  /** Why its account's rate limit refuses it; that is taken before the checks. */
  rateRefusal: Refusal | null;
  platform: Platform | null;
  account: Account | null;
  /** The rule of the request. */
  rule: NamedRule | null;
  payload: Payload | null;
  decision: PolicyDecision | null;
  /** Why policies or budgets deny it; for dry runs, which go on. */
  denial: Refusal | null;
  /** What it takes of the account's budgets. */
  demands: readonly Demand[];
  /** Names of the budgets that deny it. */
  budgets: readonly string[];
  /** The generation of the configuration under which every check has passed. */
  checkedUnder: Registry | null;
  charge: Charge | null;
  /** The signature text: made, or to verify. */
  signature: string | null;
  /** Not to be released before the record. */
  outcome: Outcome<Result> | null;
  /** Whether its audit record is durable. */
  isRecorded: boolean;
}

/** An attempt with the parts that every checklist finds. */
export type CheckedAttempt = Attempt & {
  readonly [Part in 'platform' | 'account' | 'rule' | 'payload']: NonNullable<Attempt[Part]>;
};

/**
 * An attempt that begins. Spread syntax would make such a large object slow to use.
 * @param startedAt monotonic clock
 */
export function beginAttempt<Result extends AttemptResult>(
  operation: Attempt['operation'],
  request: SignRequest,
  context: CallContext,
  startedAt: number,
  { batchRequestId = null, signature = null }: Partial<Pick<Attempt, 'batchRequestId' | 'signature'>> = {},
): Attempt<Result> {
  return {
    operation,
    request,
    context,
    batchRequestId,
    startedAt,
    rateRefusal: null,
    platform: null,
    account: null,
    rule: null,
    payload: null,
    decision: null,
    denial: null,
    demands: [],
    budgets: [],
    checkedUnder: null,
    charge: null,
    signature,
    outcome: null,
    isRecorded: false,
  };
}

/** Forgets what an earlier check has found, but not what is taken of rate limit and budgets. */
export function restartAttempt(attempt: Attempt): void {
  const { operation, request, context, startedAt, rateRefusal, charge } = attempt;
  Object.assign(attempt, beginAttempt(operation, request, context, startedAt, attempt), { rateRefusal, charge });
}

/** The algorithm that signs: the rule's, else the account's; null without an account. */
export function getAlgorithm({ account, rule }: Pick<Attempt, 'account' | 'rule'>): Algorithm | null {
  return rule?.algorithm ?? account?.algorithm ?? null;
}

/** The outcome as audit records and metrics name it; one that is missing is a failure. */
export function toAuditOutcome(outcome: Outcome<unknown> | null): AuditOutcome {
  if (outcome?.ok === true) return 'success';
  return outcome === null || outcome.refusal.row.isFailure === true ? 'failed' : 'refused';
}
