import type { Clock } from '../../ports/clock.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import { type Counting, NO_METRICS } from '../../ports/metrics.ts';
import type { SignerTable } from '../../ports/signer.ts';
import type { TypedDataEncoder } from '../../ports/typed-data-encoder.ts';
import type { Account } from '../model/account.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { Platform } from '../model/platform.ts';
import { signatureEncoding } from '../model/platform-defaults.ts';
import { auditUnavailable, signatureFailed } from '../model/refusal.ts';
import type { CallContext } from '../model/sign-request.ts';
import type { VerifiedResult, VerifyRequest } from '../model/verify-request.ts';
import { endedAttempt, type VerificationAttempt } from './attempt.ts';
import type { AuditEntryService } from './audit-entry-service.ts';
import type { RegistryHolder } from './registry-holder.ts';
import { findAccount, isSignatureOf, makePayload } from './signing-steps.ts';

/** What a VerifySignatureService works with. */
export interface VerificationParts {
  readonly registry: RegistryHolder;
  readonly keyStore: KeyStore;
  readonly signers: SignerTable;
  readonly hasher: Hasher;
  readonly typedData: TypedDataEncoder;
  readonly audit: AuditEntryService;
  readonly clock: Clock;
  readonly metrics?: Counting;
}

/**
 * Verifies whether a signature is an account's over some data, by the steps that a signature takes.
 */
export class VerifySignatureService {
  readonly #parts: VerificationParts;

  constructor(parts: VerificationParts) {
    this.#parts = parts;
  }

  /**
   * The result is released only after its audit record is durable; without that, the outcome is
   * SIGNATURE_FAILED with reason AUDIT_UNAVAILABLE.
   */
  async verify(request: VerifyRequest, context: CallContext): Promise<Outcome<VerifiedResult>> {
    const { audit, clock, metrics = NO_METRICS } = this.#parts;
    const startedAt = clock.monotonic();
    const attempt = this.#attempt(request, context.principal);
    const recorded = await audit.recordVerification(request, attempt, context, startedAt);
    const outcome = recorded.ok ? attempt.outcome : recorded;
    metrics.attempted(endedAttempt('verify', attempt, outcome, clock.monotonic() - startedAt));
    return outcome;
  }

  /**
   * The checks in the order in which callers see refusals. Synchronous, so that no reload can come
   * between.
   */
  #attempt(request: VerifyRequest, principal: string | null): VerificationAttempt {
    const found = findAccount(this.#parts.registry.current, 'verify', request, principal);
    if (found.outcome !== null) return found;
    const { platform, account } = found;

    const made = makePayload(platform, account, request.data, this.#parts);
    if (!made.ok) return { platform, account, outcome: made };
    const payload = made.value;

    // No key is opened for a result that could not be released.
    if (!this.#parts.audit.available) return { platform, account, payload, outcome: refused(auditUnavailable()) };

    return { platform, account, payload, outcome: this.#check(platform, account, payload, request.signature) };
  }

  #check(platform: Platform, account: Account, payload: Payload, signature: string): Outcome<VerifiedResult> {
    const { keyStore, signers } = this.#parts;
    const { platformId, accountId, algorithm } = account;
    const encoding = signatureEncoding(platform, algorithm);
    try {
      const valid = isSignatureOf(keyStore, signers[algorithm], account, payload.bytes, signature, encoding);
      return accepted({ valid, payload });
    } catch (error) {
      return refused(signatureFailed(platformId, accountId, error));
    }
  }
}
