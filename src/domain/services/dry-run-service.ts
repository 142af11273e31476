import type { BudgetLedger } from '../../ports/budget-ledger.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { MetricsRecorder } from '../../ports/metrics.ts';
import type { StarknetHasher } from '../../ports/starknet-hasher.ts';
import { MicroBatcher } from '../flow/micro-batcher.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import { NO_POLICY_APPLIES } from '../model/policy.ts';
import { auditUnavailable } from '../model/refusal.ts';
import type { CallContext, DryRunResult, SignRequest } from '../model/sign-request.ts';
import { checkBudgets } from './account-budgets.ts';
import { type AuditEntryService, type DryRunAttempt, toEndedAttempt } from './audit-entry-service.ts';
import type { RegistryHolder } from './registry-holder.ts';
import { findAccount, includeRequest, makePayload, toPolicyRefusal } from './signing-steps.ts';

/** What a {@link DryRunService} works with. */
export interface DryRunParts {
  readonly registry: RegistryHolder;
  readonly hasher: Hasher;
  readonly starknet: StarknetHasher;
  readonly audit: AuditEntryService;
  readonly clock: Clock;
  readonly budgets: BudgetLedger;
  readonly metrics: MetricsRecorder;
}

interface DryRunTask {
  readonly request: SignRequest;
  readonly principal: string | null;
}

/** Says what signing a request would come to, by the same steps, without opening a key. */
export class DryRunService {
  readonly #parts: DryRunParts;
  readonly #batcher: MicroBatcher<DryRunTask, DryRunAttempt>;

  constructor(parts: DryRunParts) {
    this.#parts = parts;
    this.#batcher = new MicroBatcher(parts.clock, (tasks) =>
      new TimeSlice(parts.clock).mapFirst(tasks, tasks.length, (task) => this.#attempt(task)),
    );
  }

  /**
   * The decision of policies and budgets, and the bytes that would be signed. Takes nothing of the
   * account's rate limit and budgets. Released only after its audit record is durable.
   * @throws CallerLeftError
   */
  async tryOut(request: SignRequest, context: CallContext): Promise<Outcome<DryRunResult>> {
    const { audit, clock, metrics } = this.#parts;
    const startedAt = clock.monotonic();
    const { principal } = context;
    const tried = await this.#batcher.submit({ request, principal }, context.hasLeft);
    const attempt = await this.#checkBudgets(tried, principal);
    const recorded = await audit.recordDryRun(request, attempt, { context, batchRequestId: null, startedAt });
    const outcome = recorded.ok ? attempt.outcome : recorded;
    // A decision that nothing followed is not counted as one.
    const uncounted = { ...attempt, decision: NO_POLICY_APPLIES, budgets: [] };
    const caller = { principal, durationMs: clock.monotonic() - startedAt };
    metrics.attemptEnded(toEndedAttempt('dry-run', uncounted, outcome, caller));
    return outcome;
  }

  async #checkBudgets(attempt: DryRunAttempt, principal: string | null): Promise<DryRunAttempt> {
    const { account, decision, outcome } = attempt;
    if (!outcome.ok || account === undefined || decision?.amounts === undefined) return attempt;
    const refused = await checkBudgets(this.#parts.budgets, account, decision.amounts, principal);
    if (refused === null) return attempt;
    const { refusal, budgets } = refused;
    if (budgets.length === 0) return { ...attempt, outcome: { ok: false, refusal } };
    return { ...attempt, budgets, outcome: accepted({ ...outcome.value, refusal }) };
  }

  /** In the order of refusals. Synchronous, so that no reload comes between. */
  #attempt({ request, principal }: DryRunTask): DryRunAttempt {
    const { registry, audit, clock } = this.#parts;
    const found = findAccount(registry.current, 'sign', request, principal);
    if (found.outcome !== null) return found;
    const { platform, account, rule } = found;

    const built = makePayload(found, request, this.#parts);
    if (!built.ok) return { platform, account, rule, outcome: built };
    const payload = built.value;

    const judged = { platform, account, rule, ruleName: request.rule, payload, principal, now: clock.now() };
    const decision = registry.current.policies.decide(judged);
    const attempt = { platform, account, rule, payload, decision };
    if (!audit.available) return { ...attempt, outcome: refused(auditUnavailable()) };
    const refusal = decision.isAllowed ? null : toPolicyRefusal(account, decision, principal);
    return {
      ...attempt,
      outcome: accepted({ payload, decision, refusal, ...includeRequest(found, request, payload, null) }),
    };
  }
}
