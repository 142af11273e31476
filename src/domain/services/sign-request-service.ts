import type { Clock } from '../../ports/clock.ts';
import { type Outcome, refused } from '../model/outcome.ts';
import { accountInactive, accountNotFound, auditUnavailable, platformNotSupported } from '../model/refusal.ts';
import type { Registry } from '../model/registry.ts';
import type { CallContext, SignRequest } from '../model/sign-request.ts';
import type { SignedResult } from '../model/signed-result.ts';
import type { AuditEntryService } from './audit-entry-service.ts';
import type { PayloadMaker } from './payload-maker.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { SignatureMaker } from './signature-maker.ts';
import type { SigningAttempt } from './signing-attempt.ts';
import type { SigningPerformance } from './signing-performance.ts';

/** Turns a request into a signature, or into the reason why there is none. The one way in which anything gets signed. */
export class SignRequestService {
  readonly #registry: RegistryHolder;
  readonly #payloads: PayloadMaker;
  readonly #signatures: SignatureMaker;
  readonly #audit: AuditEntryService;
  readonly #performance: SigningPerformance;
  readonly #clock: Clock;

  constructor(
    registry: RegistryHolder,
    payloads: PayloadMaker,
    signatures: SignatureMaker,
    audit: AuditEntryService,
    performance: SigningPerformance,
    clock: Clock,
  ) {
    this.#registry = registry;
    this.#payloads = payloads;
    this.#signatures = signatures;
    this.#audit = audit;
    this.#performance = performance;
    this.#clock = clock;
  }

  /** Signs with the generation of accounts that is in force now. */
  sign(request: SignRequest, context: CallContext): Promise<Outcome<SignedResult>> {
    return this.signWith(this.#registry.current, request, context, null);
  }

  /**
   * Signs with the given generation. The signature is released only after its audit record is durable; without that, the
   * outcome is SIGNATURE_FAILED with reason AUDIT_UNAVAILABLE.
   */
  async signWith(
    registry: Registry,
    request: SignRequest,
    context: CallContext,
    batchRequestId: string | null,
  ): Promise<Outcome<SignedResult>> {
    const startedAt = this.#clock.monotonic();
    const attempt = this.#attempt(registry, request);
    const recorded = await this.#audit.recordAttempt(request, attempt, { context, batchRequestId, startedAt });
    if (!recorded.ok) this.#performance.countUnrecorded();
    else if (attempt.outcome.ok) this.#performance.countReleased(this.#clock.monotonic() - startedAt);
    return recorded.ok ? attempt.outcome : recorded;
  }

  /** The checks in the order that callers see them, then the signature. Runs in one turn, so no reload can come between. */
  #attempt(registry: Registry, request: SignRequest): SigningAttempt {
    const { platformId, accountId, data } = request;

    const platform = registry.platform(platformId);
    if (platform === undefined) return { outcome: refused(platformNotSupported(platformId)) };

    const account = registry.account(platformId, accountId);
    if (account === undefined) return { platform, outcome: refused(accountNotFound(platformId, accountId)) };

    if (account.status !== 'active') {
      return { platform, account, outcome: refused(accountInactive(platformId, accountId)) };
    }

    const made = this.#payloads.make(platform, account, data);
    if (!made.ok) return { platform, account, outcome: made };

    const payload = made.value;
    // No key is opened for a signature that could not be released.
    if (!this.#audit.available) return { platform, account, payload, outcome: refused(auditUnavailable()) };

    return { platform, account, payload, outcome: this.#signatures.make(platform, account, payload) };
  }
}
