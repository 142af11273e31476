import type { Ports } from '../../ports/ports.ts';
import type { RateLimiter } from '../../ports/window-ledger.ts';
import { MicroBatcher } from '../flow/micro-batcher.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import {
  type Attempt,
  type AttemptResult,
  beginAttempt,
  type CheckedAttempt,
  restartAttempt,
} from '../model/attempt.ts';
import { CallerLeftError } from '../model/errors.ts';
import { type Outcome, refuse, refused } from '../model/refusal.ts';
import type { Registry } from '../model/registry.ts';
import type {
  BatchItem,
  CallContext,
  DryRunResult,
  SignedResult,
  SignRequest,
  VerifiedResult,
  VerifyRequest,
} from '../model/sign-request.ts';
import { chargeAttempt, checkDemands, isCharged, refundAttempt, takeRates } from './account-limits.ts';
import type { RegistryHolder } from './registry-holder.ts';
import { CHECKLISTS, FIND_ACCOUNT, makeSignature, reportDecision, type Step, type StepTools } from './signing-steps.ts';

type Parts = StepTools &
  Pick<Ports, 'limiters' | 'budgets' | 'metrics'> & {
    readonly registry: RegistryHolder;
    readonly performance: SigningPerformance;
  };

/** Attempts per vault opening: about one time slice. */
export const MAX_TOGETHER = 32;

/**
 * Up to this many items count as single requests; larger batches yield first, because many can
 * arrive at once.
 */
const MAX_UNYIELDED_ITEMS = 16;

/** Turns requests into signatures, decisions, verdicts or refusals: the only way to sign. */
export class SignRequestService {
  readonly #parts: Parts;
  readonly #batcher: MicroBatcher<Attempt, Attempt>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#batcher = new MicroBatcher(parts.clock, (attempts) => this.#run(attempts));
  }

  /**
   * Signs one request.
   * @returns accepted only after the audit record is durable, here and below
   * @throws CallerLeftError, here and below
   */
  async sign(request: SignRequest, context: CallContext): Promise<Outcome<SignedResult>> {
    const attempt = this.#begin<SignedResult>('sign', request, context);
    const { clock, limiters } = this.#parts;
    if (limiters.accounts !== null) await this.#takeRates(limiters.accounts, [attempt], new TimeSlice(clock));
    return this.#complete(attempt);
  }

  /**
   * Says what signing a request would come to: the decision of policies and budgets, and the bytes.
   * Opens no key, and takes nothing of the account's rate limit and budgets.
   */
  dryRun(request: SignRequest, context: CallContext): Promise<Outcome<DryRunResult>> {
    return this.#complete(this.#begin<DryRunResult>('dry-run', request, context));
  }

  /** Verifies a signature. */
  verify({ signature, ...request }: VerifyRequest, context: CallContext): Promise<Outcome<VerifiedResult>> {
    return this.#complete(this.#begin<VerifiedResult>('verify', request, context, { signature }));
  }

  /**
   * Signs many requests in one call; requestIds must be unique. Items succeed or fail independently
   * and don't hold up other requests. Each slice uses the configuration in force, so that a
   * disabled account signs no further item, and none is begun for a caller that has left.
   * @returns the outcome of each item, in order
   * @throws CallerLeftError after the last item that was begun; each of those is recorded
   */
  async signAll(items: readonly BatchItem[], context: CallContext): Promise<readonly Outcome<SignedResult>[]> {
    const { clock, metrics } = this.#parts;
    metrics.batchAccepted(items.length);
    const startedAt = clock.monotonic();
    const ended = await this.#signInSlices(items, context);
    // Items share the batch's time equally: none took all of it.
    const shareMs = (clock.monotonic() - startedAt) / items.length;
    for (const attempt of ended) this.#count(attempt, shareMs);
    if (ended.length < items.length) throw new CallerLeftError();
    return ended.map(release);
  }

  #begin<Result extends AttemptResult>(
    operation: Attempt['operation'],
    request: SignRequest,
    context: CallContext,
    others?: Partial<Pick<Attempt, 'batchRequestId' | 'signature'>>,
  ): Attempt<Result> {
    return beginAttempt(operation, request, context, this.#parts.clock.monotonic(), others);
  }

  async #complete<Result extends AttemptResult>(attempt: Attempt<Result>): Promise<Outcome<Result>> {
    await this.#batcher.submit(attempt, attempt.context.hasLeft);
    this.#count(attempt, this.#parts.clock.monotonic() - attempt.startedAt);
    return release(attempt);
  }

  async #signInSlices(items: readonly BatchItem[], context: CallContext): Promise<readonly Attempt<SignedResult>[]> {
    const { clock, limiters } = this.#parts;
    const slice = new TimeSlice(clock);
    if (items.length > MAX_UNYIELDED_ITEMS) await slice.yieldNow();
    const attempts = items.map((item) =>
      this.#begin<SignedResult>('sign', item, context, { batchRequestId: item.requestId }),
    );
    if (limiters.accounts !== null) await this.#takeRates(limiters.accounts, attempts, slice);
    const running: Promise<readonly Attempt[]>[] = [];
    let begun = 0;
    while (begun < attempts.length && context.hasLeft?.() !== true) {
      const next = attempts.slice(begun, begun + MAX_TOGETHER);
      const startedAt = clock.monotonic();
      for (const attempt of next) attempt.startedAt = startedAt;
      const taken = this.#run(next);
      begun += taken.length;
      const ended = Promise.all(taken);
      // Promise.all below reports it; until then it must not be unhandled.
      ended.catch(() => undefined);
      running.push(ended);
      await slice.yieldIfExpired();
    }
    await Promise.all(running);
    return attempts.slice(0, begun);
  }

  /**
   * Takes rate limit points of the accounts. An attempt without an account that it may use takes
   * nothing, and stays refused even if a reload allows it before its turn.
   */
  async #takeRates(limiter: RateLimiter, attempts: readonly Attempt[], slice: TimeSlice): Promise<void> {
    const { registry } = this.#parts;
    await slice.forEach(attempts, (attempt) => this.#check(attempt, FIND_ACCOUNT, registry.current));
    await takeRates(limiter, attempts.filter(isOpen), slice);
  }

  /**
   * The way of attempts from their checks to their records. Takes the first that fit in a time
   * slice, at least one. Steps 1 to 11 but 5 and 9 are synchronous, so that no reload comes between
   * finding an account and using its key; an attempt that is charged comes here again.
   * @returns each taken attempt once it is recorded, in order; the caller must count it
   */
  #run(attempts: readonly Attempt[]): readonly Promise<Attempt>[] {
    const { audit, clock, registry } = this.#parts;
    const { current } = registry;

    // 1 to 8. Every check of the operation passes, see CHECKLISTS.
    const taken = new TimeSlice(clock).mapFirst(attempts, MAX_TOGETHER, (attempt) => {
      if (isOpen(attempt) && !this.#isStillChecked(attempt, current)) {
        this.#check(attempt, CHECKLISTS[attempt.operation], current);
        attempt.checkedUnder = current;
      }
      return attempt;
    });

    // 9. The account's budgets are charged before its key is opened, in a later tick: 403
    // BUDGET_EXCEEDED, 503 BUDGET_UNAVAILABLE.
    const uncharged = new Set(taken.filter((attempt) => isOpen(attempt) && !isCharged(attempt)));
    const others = uncharged.size === 0 ? taken : taken.filter((attempt) => !uncharged.has(attempt));

    // 10. The keys are opened and sign, all of them in one opening of the vault: 500
    // SIGNATURE_FAILED.
    // 11. Each signature verifies with the account's public key, where that is configured: 500
    // SIGNATURE_FAILED.
    this.#finish(others);

    // 12. The audit records are durable, all of them written together: 500 SIGNATURE_FAILED.
    const recorded = audit.recordAttempts(others);
    return taken.map((attempt) => (uncharged.has(attempt) ? this.#charge(attempt) : recorded.then(() => attempt)));
  }

  /** Runs the steps up to the first refusal, which ends the attempt. */
  #check(attempt: Attempt, steps: readonly Step[], registry: Registry): void {
    if (attempt.platform !== null) restartAttempt(attempt);
    failAlone(attempt, (checked) => {
      for (const step of steps) {
        const refusal = step(checked, registry, this.#parts);
        if (refusal === null) continue;
        attempt.outcome = refused(refusal);
        return;
      }
    });
  }

  /** Whether nothing has changed since all checks passed, or its key overlaps. */
  #isStillChecked({ checkedUnder, account }: Attempt, current: Registry): boolean {
    if (checkedUnder === current) return true;
    if (checkedUnder === null || account === null) return false;
    return this.#parts.retiredKeys.mayFinish(account, checkedUnder, current);
  }

  /** Charges the attempt and brings it to its turn again; refunds it if nothing is released. */
  async #charge(attempt: Attempt): Promise<Attempt> {
    const { budgets } = this.#parts;
    if (attempt.operation === 'dry-run') {
      await checkDemands(attempt, budgets);
      this.#report(attempt);
      return this.#batcher.submit(attempt);
    }
    await chargeAttempt(attempt, budgets);
    try {
      return await this.#batcher.submit(attempt);
    } finally {
      if (!attempt.isRecorded || attempt.outcome?.ok !== true) await refundAttempt(attempt);
    }
  }

  /** Opens the vault only for something to sign. If it can't be opened, every signature fails. */
  #finish(attempts: readonly Attempt[]): void {
    const { keyStore } = this.#parts;
    const open = attempts.filter(isOpen);
    for (const attempt of open) if (attempt.operation === 'dry-run') this.#report(attempt);
    const toSign = open.filter(({ operation }) => operation === 'sign');
    if (toSign.length === 0) return;
    const signAll = () => {
      for (const attempt of toSign) {
        failAlone(attempt, (checked) => {
          attempt.outcome = makeSignature(checked, this.#parts);
        });
      }
    };
    try {
      if (keyStore.together === undefined) signAll();
      else keyStore.together(signAll);
    } catch (error) {
      for (const attempt of toSign) fail(attempt, error);
    }
  }

  /** Ends a dry run, if it is still open. */
  #report(attempt: Attempt): void {
    failAlone(attempt, (checked) => {
      attempt.outcome ??= reportDecision(checked);
    });
  }

  /**
   * Counts an ended attempt for status and metrics.
   * @param durationMs from request to durable record; for a batch item its share of the batch
   */
  #count(attempt: Attempt, durationMs: number): void {
    const { performance, metrics } = this.#parts;
    if (attempt.operation === 'sign') performance.count(attempt, durationMs);
    metrics.attemptEnded(attempt, durationMs);
  }
}

/** What an attempt throws ends this attempt, on record, and no other of its tick. */
function failAlone(attempt: Attempt, work: (checked: CheckedAttempt) => void): void {
  try {
    work(attempt as CheckedAttempt);
  } catch (error) {
    fail(attempt, error);
  }
}

function fail(attempt: Attempt, error: unknown): void {
  const { platformId, accountId } = attempt.request;
  if (attempt.operation === 'sign') attempt.signature = null;
  attempt.outcome = refused(refuse('SignatureFailed', { platformId, accountId }, error));
}

/** 13. The only place where outcomes leave the service. */
function release<Result extends AttemptResult>({ outcome, isRecorded }: Attempt<Result>): Outcome<Result> {
  return isRecorded && outcome !== null ? outcome : refused(refuse('AuditUnavailable'));
}

function isOpen({ outcome }: Attempt): boolean {
  return outcome === null;
}

/** Signing time and unrecorded attempts of this process. */
export class SigningPerformance {
  #signatures = 0;
  #totalMs = 0;
  #unrecorded = 0;

  /** An attempt to sign has ended, after this time; a batch item has its share. */
  count({ isRecorded, outcome }: Attempt, durationMs: number): void {
    if (!isRecorded) this.#unrecorded += 1;
    if (outcome?.ok !== true) return;
    this.#signatures += 1;
    this.#totalMs += durationMs;
  }

  /** Mean time of a released signature, milliseconds; 0 before the first. */
  get avgSigningTimeMs(): number {
    return this.#signatures === 0 ? 0 : this.#totalMs / this.#signatures;
  }

  /** Attempts whose record was not durable in time. */
  get unrecorded(): number {
    return this.#unrecorded;
  }
}
