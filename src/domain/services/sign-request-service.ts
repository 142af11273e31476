import type { Clock } from '../../ports/clock.ts';
import { type Counting, NO_METRICS } from '../../ports/metrics.ts';
import type { Account } from '../model/account.ts';
import type { Outcome } from '../model/outcome.ts';
import type { Refusal } from '../model/refusal.ts';
import type { CallContext, SignRequest } from '../model/sign-request.ts';
import type { SignedResult } from '../model/signed-result.ts';
import type { AccountLimits } from './account-limits.ts';
import { type Asked, AttemptMaker } from './attempt-maker.ts';
import type { AuditEntryService, SigningCircumstances } from './audit-entry-service.ts';
import { endedAttempt } from './ended-attempt.ts';
import type { PayloadMaker } from './payload-maker.ts';
import type { RegistryHolder } from './registry-holder.ts';
import { Round } from './round.ts';
import type { SignatureMaker } from './signature-maker.ts';
import type { SigningAttempt } from './signing-attempt.ts';
import type { SigningPerformance } from './signing-performance.ts';
import type { Turns } from './turns.ts';

/** A request of a batch, and how it came. */
export interface BatchTask extends Asked {
  readonly context: CallContext;
  readonly batchRequestId: string;
}

/** An attempt that is over and not counted yet. */
export interface EndedSigning {
  readonly attempt: SigningAttempt;
  /** What its caller gets: that of the attempt, unless this could not be recorded. */
  readonly outcome: Outcome<SignedResult>;
}

/** Turns a request into a signature, or into the reason why there is none. The one way in which anything gets signed. */
export class SignRequestService {
  readonly #registry: RegistryHolder;
  readonly #attempts: AttemptMaker;
  readonly #round: Round<Asked, SigningAttempt>;
  readonly #audit: AuditEntryService;
  readonly #performance: SigningPerformance;
  readonly #clock: Clock;
  readonly #limits: AccountLimits | null;
  readonly #metrics: Pick<Counting, 'attempted'>;

  /** @param limits how often each account signs; null where nothing bounds it */
  constructor(
    registry: RegistryHolder,
    payloads: PayloadMaker,
    signatures: SignatureMaker,
    audit: AuditEntryService,
    performance: SigningPerformance,
    clock: Clock,
    limits: AccountLimits | null = null,
    metrics: Pick<Counting, 'attempted'> = NO_METRICS,
  ) {
    this.#registry = registry;
    this.#attempts = new AttemptMaker(payloads, signatures, audit, clock);
    // Not the generation of before: a reload may come between asking and answering, and its keys be wiped.
    this.#round = new Round(clock, (asked) => this.#attempts.makeSome(registry.current, asked));
    this.#audit = audit;
    this.#performance = performance;
    this.#clock = clock;
    this.#limits = limits;
    this.#metrics = metrics;
  }

  /** Whether it is bounded how often an account signs. */
  get isLimited(): boolean {
    return this.#limits !== null;
  }

  /**
   * Signs with the generation of accounts that is in force at the end of this turn of the event loop, together with what else arrives in it; where the account's budget has to be asked for first, once that was
   * answered. The signature is released only after its audit record is durable; without that, the outcome is SIGNATURE_FAILED with reason AUDIT_UNAVAILABLE.
   */
  async sign(request: SignRequest, context: CallContext): Promise<Outcome<SignedResult>> {
    const circumstances = { context, batchRequestId: null, startedAt: this.#clock.monotonic() };
    const { principal } = context;
    const limited = this.#limits === null ? null : await this.#limit(this.#limits, request, principal);
    const attempt = await this.#round.ask({ request, principal, limited });
    const ended = await this.#release(request, attempt, circumstances);
    this.count(ended, this.#clock.monotonic() - circumstances.startedAt);
    return ended.outcome;
  }

  /**
   * Signs at once with the configuration in force, for the first of these tasks: at least one, and
   * as many as take a slice of time. Returns a result for each of those, in their order. The caller
   * has to {@link count} them.
   */
  signSome(tasks: readonly BatchTask[]): readonly Promise<EndedSigning>[] {
    const startedAt = this.#clock.monotonic();
    return this.#attempts.makeSome(this.#registry.current, tasks).map((attempt, index) => {
      const { request, context, batchRequestId } = tasks[index] as BatchTask;
      return this.#release(request, attempt, { context, batchRequestId, startedAt });
    });
  }

  /**
   * Counts an attempt. @param durationMs from its request until its record was durable, or its
   * share of that time of its batch
   */
  count({ attempt, outcome }: EndedSigning, durationMs: number): void {
    if (outcome !== attempt.outcome) this.#performance.countUnrecorded();
    else if (outcome.ok) this.#performance.countReleased(durationMs);
    this.#metrics.attempted(endedAttempt('sign', attempt, outcome, durationMs));
  }

  /**
   * Takes what these requests need of the budgets of their accounts. A request that is refused now
   * takes nothing, and stays refused if a reload allows it before its slice.
   * @returns for each request why it may not sign, or null; nothing at all where nothing is bounded
   */
  async limitAll(
    requests: readonly SignRequest[],
    principal: string | null,
    turns: Turns,
  ): Promise<readonly (Refusal | null)[]> {
    if (this.#limits === null) return [];
    const accounts: (Account | null)[] = [];
    const refusals: (Refusal | null)[] = [];
    for (const request of requests) {
      const found = this.#attempts.find(this.#registry.current, request, principal);
      accounts.push(found.outcome === null ? found.account : null);
      refusals.push(found.outcome === null ? null : found.outcome.refusal);
      await turns.pause();
    }
    const limited = await this.#limits.takeForAll(accounts, turns);
    return limited.map((refusal, index) => refusals[index] ?? refusal);
  }

  /**
   * An account that there is not, or that may not sign, has no budget; the request stays refused.
   */
  async #limit(limits: AccountLimits, request: SignRequest, principal: string | null): Promise<Refusal | null> {
    const found = this.#attempts.find(this.#registry.current, request, principal);
    return found.outcome === null ? limits.take(found.account) : found.outcome.refusal;
  }

  async #release(
    request: SignRequest,
    attempt: SigningAttempt,
    circumstances: SigningCircumstances,
  ): Promise<EndedSigning> {
    const recorded = await this.#audit.recordAttempt(request, attempt, circumstances);
    return { attempt, outcome: recorded.ok ? attempt.outcome : recorded };
  }
}
