import type { Clock } from '../../ports/clock.ts';
import { type Counting, NO_METRICS } from '../../ports/metrics.ts';
import type { Account } from '../model/account.ts';
import { type Outcome, refused } from '../model/outcome.ts';
import type { Platform } from '../model/platform.ts';
import {
  accountInactive,
  accountNotFound,
  accountPermissionDenied,
  auditUnavailable,
  platformNotSupported,
  type Refusal,
} from '../model/refusal.ts';
import type { Registry } from '../model/registry.ts';
import type { CallContext, SignRequest } from '../model/sign-request.ts';
import type { SignedResult } from '../model/signed-result.ts';
import type { AccountLimits } from './account-limits.ts';
import type { AuditEntryService, SigningCircumstances } from './audit-entry-service.ts';
import { endedAttempt } from './ended-attempt.ts';
import type { PayloadMaker } from './payload-maker.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { SignatureMaker } from './signature-maker.ts';
import type { SigningAttempt } from './signing-attempt.ts';
import type { SigningPerformance } from './signing-performance.ts';
import type { Turns } from './turns.ts';

/** The platform and the account of a request, where the account may sign. */
interface Found {
  readonly platform: Platform;
  readonly account: Account;
  readonly outcome: null;
}

/** Turns a request into a signature, or into the reason why there is none. The one way in which anything gets signed. */
export class SignRequestService {
  readonly #registry: RegistryHolder;
  readonly #payloads: PayloadMaker;
  readonly #signatures: SignatureMaker;
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
    this.#payloads = payloads;
    this.#signatures = signatures;
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

  /** Signs with the generation of accounts that is in force now; where the account's budget has to be asked for first, once that was answered. */
  sign(request: SignRequest, context: CallContext): Promise<Outcome<SignedResult>> {
    const circumstances = { context, batchRequestId: null, startedAt: this.#clock.monotonic() };
    return this.#limits === null
      ? this.#sign(this.#registry.current, request, circumstances, null)
      : this.#signWithin(this.#limits, request, circumstances);
  }

  /**
   * Signs with the given generation. The signature is released only after its audit record is durable; without that, the
   * outcome is SIGNATURE_FAILED with reason AUDIT_UNAVAILABLE.
   * @param limited why the account may not sign once more now, as {@link limitAll} has it; null when it may
   */
  signWith(
    registry: Registry,
    request: SignRequest,
    context: CallContext,
    batchRequestId: string | null,
    limited: Refusal | null = null,
  ): Promise<Outcome<SignedResult>> {
    const circumstances = { context, batchRequestId, startedAt: this.#clock.monotonic() };
    return this.#sign(registry, request, circumstances, limited);
  }

  /**
   * Takes what these requests need of the budgets of their accounts, as far as those may sign.
   * @returns for each request why it can't have it, or null; nothing at all where nothing is bounded
   */
  async limitAll(
    registry: Registry,
    requests: readonly SignRequest[],
    principal: string | null,
    turns: Turns,
  ): Promise<readonly (Refusal | null)[]> {
    if (this.#limits === null) return [];
    const accounts: (Account | null)[] = [];
    for (const request of requests) {
      const found = this.#find(registry, request, principal);
      accounts.push(found.outcome === null ? found.account : null);
      await turns.pause();
    }
    return this.#limits.takeForAll(accounts, turns);
  }

  async #signWithin(
    limits: AccountLimits,
    request: SignRequest,
    circumstances: SigningCircumstances,
  ): Promise<Outcome<SignedResult>> {
    const found = this.#find(this.#registry.current, request, circumstances.context.principal);
    // An account that there is not, or that may not sign, has no budget.
    const limited = found.outcome === null ? await limits.take(found.account) : null;
    // Not the generation of before: a reload may have come between, and its keys be wiped.
    return this.#sign(this.#registry.current, request, circumstances, limited);
  }

  async #sign(
    registry: Registry,
    request: SignRequest,
    circumstances: SigningCircumstances,
    limited: Refusal | null,
  ): Promise<Outcome<SignedResult>> {
    const attempt = this.#attempt(registry, request, circumstances.context.principal, limited);
    const recorded = await this.#audit.recordAttempt(request, attempt, circumstances);
    const durationMs = this.#clock.monotonic() - circumstances.startedAt;
    if (!recorded.ok) this.#performance.countUnrecorded();
    else if (attempt.outcome.ok) this.#performance.countReleased(durationMs);
    const outcome = recorded.ok ? attempt.outcome : recorded;
    this.#metrics.attempted(endedAttempt('sign', attempt, outcome, durationMs));
    return outcome;
  }

  /** The checks in the order that callers see them, then the signature. Runs in one turn, so no reload can come between. */
  #attempt(
    registry: Registry,
    request: SignRequest,
    principal: string | null,
    limited: Refusal | null,
  ): SigningAttempt {
    const found = this.#find(registry, request, principal);
    if (found.outcome !== null) return found;

    const { platform, account } = found;
    if (limited !== null) return { platform, account, outcome: refused(limited) };

    const made = this.#payloads.make(platform, account, request.data);
    if (!made.ok) return { platform, account, outcome: made };

    const payload = made.value;
    // No key is opened for a signature that could not be released.
    if (!this.#audit.available) return { platform, account, payload, outcome: refused(auditUnavailable()) };

    return { platform, account, payload, outcome: this.#signatures.make(platform, account, payload) };
  }

  /** The account, or how the attempt ends since it may not sign. */
  #find(registry: Registry, { platformId, accountId }: SignRequest, principal: string | null): Found | SigningAttempt {
    const platform = registry.platform(platformId);
    if (platform === undefined) return { outcome: refused(platformNotSupported(platformId)) };

    const account = registry.account(platformId, accountId);
    if (account === undefined) return { platform, outcome: refused(accountNotFound(platformId, accountId)) };

    if (!registry.permissions.allowsOn(principal, 'sign', platformId, accountId)) {
      return { platform, account, outcome: refused(accountPermissionDenied('sign', platformId, accountId)) };
    }

    if (account.status !== 'active') {
      return { platform, account, outcome: refused(accountInactive(platformId, accountId)) };
    }

    return { platform, account, outcome: null };
  }
}
