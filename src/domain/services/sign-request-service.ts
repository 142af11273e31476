import type { BudgetLedger } from '../../ports/budget-ledger.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { MetricsRecorder } from '../../ports/metrics.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { SignerTable } from '../../ports/signer.ts';
import type { StarknetHasher } from '../../ports/starknet-hasher.ts';
import { MicroBatcher } from '../flow/micro-batcher.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import type { Account } from '../model/account.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import { type NamedRule, type Platform, signatureEncoding } from '../model/platform.ts';
import type { BudgetAmount, PolicyDecision } from '../model/policy.ts';
import { auditUnavailable, type Refusal, signatureFailed, signatureFaulty } from '../model/refusal.ts';
import type { Registry } from '../model/registry.ts';
import type { CallContext, SignedResult, SignRequest } from '../model/sign-request.ts';
import { formatTime } from '../model/text/iso-time.ts';
import { toReleasedText, toSignerEncoding } from '../model/text/signature-form.ts';
import { AccountCharge } from './account-budgets.ts';
import { AccountRateLimiter } from './account-rate-limiter.ts';
import {
  type AuditEntryService,
  type SigningAttempt,
  type SigningContext,
  toEndedAttempt,
} from './audit-entry-service.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { RetiredKeys } from './retired-keys.ts';
import { findAccount, includeRequest, makePayload, toPolicyRefusal } from './signing-steps.ts';

/** What a {@link SignRequestService} works with. */
export interface SigningParts {
  readonly registry: RegistryHolder;
  readonly keyStore: KeyStore;
  readonly retiredKeys: RetiredKeys;
  readonly signers: SignerTable;
  readonly hasher: Hasher;
  readonly starknet: StarknetHasher;
  readonly audit: AuditEntryService;
  readonly performance: SigningPerformance;
  readonly clock: Clock;
  /** Rate limits of accounts; null: none. */
  readonly limiter: RateLimiter | null;
  readonly budgets: BudgetLedger;
  readonly metrics: MetricsRecorder;
  /**
   * Whether to verify each public-key signature before its release. A hardware fault can make a
   * signature that reveals its key; a faulty HMAC reveals nothing.
   */
  readonly verifiesSignatures: boolean;
}

/** A request to sign and its context. */
export interface SigningTask extends SigningContext {
  readonly request: SignRequest;
  /** Refusal by the account's rate limit or an earlier check; null if allowed. */
  readonly limited: Refusal | null;
  /** What is checked and charged; absent: nothing yet. */
  readonly charged?: Charged;
}

/** A checked request whose budgets are charged. */
interface Charged {
  /** That it was checked with. */
  readonly registry: Registry;
  readonly signable: Signable;
  readonly charge: AccountCharge;
}

/** A finished attempt, not counted yet. */
export interface EndedSigning {
  readonly attempt: SigningAttempt;
  /** What the caller gets: the attempt's outcome, unless it could not be recorded. */
  readonly outcome: Outcome<SignedResult>;
}

/** A checked attempt that lacks only the signature. */
interface Signable {
  readonly request: SignRequest;
  readonly platform: Platform;
  readonly account: Account;
  readonly rule: NamedRule;
  readonly payload: Payload;
  readonly decision: PolicyDecision;
  /** Whether exactly its amounts are charged, which may be none. */
  readonly isCharged: boolean;
  readonly outcome: null;
}

const NO_AMOUNTS: readonly BudgetAmount[] = [];

/** Signatures per vault opening: about one time slice. */
export const MAX_SIGNED_TOGETHER = 32;

/** Turns requests into signatures or refusals: the only way to sign. */
export class SignRequestService {
  readonly #parts: SigningParts;
  readonly #metrics: MetricsRecorder;
  readonly #limits: AccountRateLimiter | null;
  readonly #batcher: MicroBatcher<SigningTask, EndedSigning>;

  constructor(parts: SigningParts) {
    this.#parts = parts;
    this.#metrics = parts.metrics;
    this.#limits = parts.limiter === null ? null : new AccountRateLimiter(parts.limiter);
    this.#batcher = new MicroBatcher(parts.clock, (tasks) => this.signSome(tasks));
  }

  /** Whether accounts have rate limits. */
  get isLimited(): boolean {
    return this.#limits !== null;
  }

  /**
   * Signs one request, micro-batched with others of this event-loop tick; {@link signSome}
   * lists the checks. Accepted only after the audit record is durable.
   * @throws CallerLeftError
   */
  async sign(request: SignRequest, context: CallContext): Promise<Outcome<SignedResult>> {
    const { clock } = this.#parts;
    const startedAt = clock.monotonic();
    const limited = this.#limits === null ? null : await this.#limit(this.#limits, request, context.principal);
    const task = { request, context, batchRequestId: null, startedAt, limited };
    const ended = await this.#batcher.submit(task, context.hasLeft);
    this.count(ended, context.principal, clock.monotonic() - startedAt);
    return ended.outcome;
  }

  /**
   * The checklist of a signature, from an authenticated caller to its release, in the order of
   * refusals. Takes the first tasks that fit in a time slice, at least one. Steps 1 to 11 but 9 are
   * synchronous, so that no reload comes between finding an account and using its key; a task that
   * step 9 charges continues in a later tick.
   * @returns how each taken task ended, in order; the caller must {@link count} it
   */
  signSome(tasks: readonly SigningTask[]): readonly Promise<EndedSigning>[] {
    const { audit, clock } = this.#parts;
    const registry = this.#parts.registry.current;

    const check = ({ request, context, limited, charged }: SigningTask): Signable | SigningAttempt => {
      if (charged !== undefined && this.#isStillChecked(charged, registry)) return charged.signable;

      // 1. The platform is configured: 400 PLATFORM_NOT_SUPPORTED.
      // 2. It has the account: 404 ACCOUNT_NOT_FOUND.
      // 3. The caller may sign with it: 403 FORBIDDEN.
      // 4. Account and platform are active: 423 ACCOUNT_INACTIVE. The platform has the rule that
      // the request names: 400 INVALID_DATA_FORMAT.
      const found = findAccount(registry, 'sign', request, context.principal);
      if (found.outcome !== null) return found;
      const { platform, account, rule } = found;

      // 5. The account is within its rate limit: 429 RATE_LIMITED.
      if (limited !== null) return { platform, account, rule, outcome: refused(limited) };

      // 6. The data has the shape of the platform's format, its rule makes the bytes to sign, and
      // the request that the caller wants can be written: 400 INVALID_DATA_FORMAT.
      const built = makePayload(found, request, this.#parts);
      if (!built.ok) return { platform, account, rule, outcome: built };
      const payload = built.value;

      // 7. The account's policies allow what these bytes say: 403 POLICY_DENIED.
      const { principal } = context;
      const judged = { platform, account, rule, ruleName: request.rule, payload, principal, now: clock.now() };
      const decision = registry.policies.decide(judged);
      const end = (refusal: Refusal) => ({ platform, account, rule, payload, decision, outcome: refused(refusal) });
      if (!decision.isAllowed) return end(toPolicyRefusal(account, decision, principal));

      // 8. Records can be written: no key is opened for a signature that could not be released. 500
      // SIGNATURE_FAILED.
      if (!audit.available) return end(auditUnavailable());

      const { amounts = NO_AMOUNTS } = decision;
      const isCharged = charged === undefined ? amounts.length === 0 : charged.charge.covers(account, amounts);
      return { request, platform, account, rule, payload, decision, isCharged, outcome: null };
    };
    const checked = new TimeSlice(clock).mapFirst(tasks, MAX_SIGNED_TOGETHER, check);

    // 9. The account's budgets are charged before its key is opened: 403
    // BUDGET_EXCEEDED, 503 BUDGET_UNAVAILABLE. Such requests are signed in a later tick.
    // 10. The key is opened and signs, all of them in one opening of the vault: 500
    // SIGNATURE_FAILED.
    // 11. The signature verifies with the account's public key, where that is configured: 500
    // SIGNATURE_FAILED. It completes the request that the caller wants.
    const attempts = this.#signTogether(checked);

    // 12. The audit records of the attempts are durable, all of them written together: 500
    // SIGNATURE_FAILED. The sink counts them as usage of the accounts.
    // 13. The attempt is counted and its outcome released: by `sign`, or once the whole batch has
    // ended.
    const ended = attempts.flatMap((attempt, index) =>
      attempt.outcome === null ? [] : [{ task: tasks[index] as SigningTask, attempt }],
    );
    const recorded = audit.recordAttempts(ended);
    return attempts.map((attempt, index) =>
      attempt.outcome === null
        ? this.#chargeAndSign(tasks[index] as SigningTask, attempt, registry)
        : recorded.then((outcome) => toEndedSigning(attempt, outcome)),
    );
  }

  /** Whether a charged request needs no other check: nothing changed, or its key overlaps. */
  #isStillChecked({ registry: before, signable }: Charged, current: Registry): boolean {
    if (before === current) return true;
    return this.#parts.retiredKeys.mayFinish(signable.account, before, current);
  }

  /**
   * Charges what is checked, and refunds it if nothing is released. A reload that changes what is
   * to charge brings the task here again, with its charge.
   */
  async #chargeAndSign(task: SigningTask, checked: Signable, registry: Registry): Promise<EndedSigning> {
    const { budgets, audit } = this.#parts;
    const { account, decision } = checked;
    const charge = task.charged?.charge ?? new AccountCharge(budgets);
    const refusal = await charge.update(account, decision.amounts ?? NO_AMOUNTS, task.context.principal);
    if (refusal !== null) {
      const attempt = { ...checked, budgets: refusal.budgets, outcome: refused(refusal.refusal) };
      return toEndedSigning(attempt, await audit.recordAttempts([{ task, attempt }]));
    }
    let isReleased = false;
    try {
      const charged = { registry, signable: { ...checked, isCharged: true }, charge };
      const ended = await this.#batcher.submit({ ...task, charged });
      isReleased = ended.outcome.ok;
      return ended;
    } finally {
      if (!isReleased) await charge.refund();
    }
  }

  /**
   * Counts an ended attempt for status and metrics.
   * @param durationMs from request to durable record; for a batch item its share of the batch
   */
  count({ attempt, outcome }: EndedSigning, principal: string | null, durationMs: number): void {
    const { performance } = this.#parts;
    if (outcome !== attempt.outcome) performance.countUnrecorded();
    else if (outcome.ok) performance.countReleased(durationMs);
    this.#metrics.attemptEnded(toEndedAttempt('sign', attempt, outcome, { principal, durationMs }));
  }

  /**
   * Takes rate limit points for these requests. A request refused now takes nothing, and stays
   * refused even if a reload allows it before its slice.
   * @returns the refusal of each request, or null; empty without limits
   */
  async limitAll(
    requests: readonly SignRequest[],
    principal: string | null,
    slice: TimeSlice,
  ): Promise<readonly (Refusal | null)[]> {
    if (this.#limits === null) return [];
    const accounts: (Account | null)[] = [];
    const refusals: (Refusal | null)[] = [];
    await slice.forEach(requests, (request) => {
      const { account, outcome } = findAccount(this.#parts.registry.current, 'sign', request, principal);
      accounts.push(outcome === null ? account : null);
      refusals.push(outcome === null ? null : outcome.refusal);
    });
    const limited = await this.#limits.takeForAll(accounts, slice);
    return limited.map((refusal, index) => refusals[index] ?? refusal);
  }

  /** An account that is missing or may not sign has no rate limit; the request stays refused. */
  async #limit(limits: AccountRateLimiter, request: SignRequest, principal: string | null): Promise<Refusal | null> {
    const { account, outcome } = findAccount(this.#parts.registry.current, 'sign', request, principal);
    return outcome === null ? limits.take(account) : outcome.refusal;
  }

  /**
   * Signs all that has nothing to charge. Opens the vault only for something to sign. If it can't
   * be opened, every signature fails.
   */
  #signTogether(checked: readonly (Signable | SigningAttempt)[]): readonly (Signable | SigningAttempt)[] {
    const { keyStore } = this.#parts;
    const end = (sign: (signable: Signable) => Outcome<SignedResult>) =>
      checked.map((attempt) => (isToSign(attempt) ? toSigningAttempt(attempt, sign(attempt)) : attempt));
    const signAll = () => end((signable) => this.#makeSignature(signable));
    if (keyStore.together === undefined || !checked.some(isToSign)) return signAll();
    try {
      return keyStore.together(signAll);
    } catch (error) {
      return end(({ account }) => refused(signatureFailed(account.platformId, account.accountId, error)));
    }
  }

  /** The only place where keys are opened for callers. */
  #makeSignature({ request, platform, account, rule, payload }: Signable): Outcome<SignedResult> {
    const { keyStore, signers, clock, verifiesSignatures } = this.#parts;
    const { platformId, accountId, publicKey } = account;
    const algorithm = rule.algorithm ?? account.algorithm;
    const form = signatureEncoding(platform, algorithm, rule);
    const encoding = toSignerEncoding(form);
    try {
      const signer = signers[algorithm];
      const signature = keyStore.use(account.key, (key) => signer.sign(key, payload.bytes, encoding));
      const signedAt = formatTime(clock.now());
      if (verifiesSignatures && signer.kind === 'public-key') {
        const isValid = signer.verify(publicKey, payload.bytes, signature, encoding);
        if (!isValid) return refused(signatureFaulty(platformId, accountId));
      }
      const released = toReleasedText(form, signature, payload.text);
      const written = includeRequest({ platform, account, rule }, request, payload, released);
      return accepted({ signature: released, algorithm, encoding: form, publicKey, signedAt, payload, ...written });
    } catch (error) {
      return refused(signatureFailed(platformId, accountId, error));
    }
  }
}

function toSigningAttempt(
  { platform, account, rule, payload, decision }: Signable,
  outcome: Outcome<SignedResult>,
): SigningAttempt {
  return { platform, account, rule, payload, decision, outcome };
}

function toEndedSigning(attempt: SigningAttempt, recorded: Outcome<null>): EndedSigning {
  return { attempt, outcome: recorded.ok ? attempt.outcome : recorded };
}

function isToSign(attempt: Signable | SigningAttempt): attempt is Signable {
  return attempt.outcome === null && attempt.isCharged;
}

/** Signing time and unrecorded attempts of this process. */
export class SigningPerformance {
  #signatures = 0;
  #totalMs = 0;
  #unrecorded = 0;

  /**
   * A released signature, with its time from request to durable record; a batch item with its
   * share.
   */
  countReleased(durationMs: number): void {
    this.#signatures += 1;
    this.#totalMs += durationMs;
  }

  /** An attempt ended with AUDIT_UNAVAILABLE. */
  countUnrecorded(): void {
    this.#unrecorded += 1;
  }

  /** Mean of {@link countReleased}, milliseconds; 0 before the first. */
  get avgSigningTimeMs(): number {
    return this.#signatures === 0 ? 0 : this.#totalMs / this.#signatures;
  }

  /** Attempts whose record was not durable in time. */
  get unrecorded(): number {
    return this.#unrecorded;
  }
}
