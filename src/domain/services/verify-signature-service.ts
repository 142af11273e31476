import type { Clock } from '../../ports/clock.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import { type Counting, NO_METRICS } from '../../ports/metrics.ts';
import type { SignerTable } from '../../ports/signer.ts';
import type { Account } from '../model/account.ts';
import { isMacAlgorithm } from '../model/algorithm.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { Platform } from '../model/platform.ts';
import { signatureEncoding } from '../model/platform-defaults.ts';
import {
  accountInactive,
  accountNotFound,
  accountPermissionDenied,
  auditUnavailable,
  platformNotSupported,
  signatureFailed,
  verificationForbidden,
} from '../model/refusal.ts';
import type { CallContext } from '../model/sign-request.ts';
import type { VerifiedResult, VerifyRequest } from '../model/verify-request.ts';
import type { AuditEntryService } from './audit-entry-service.ts';
import { endedAttempt } from './ended-attempt.ts';
import type { PayloadMaker } from './payload-maker.ts';
import type { RegistryHolder } from './registry-holder.ts';
import { isSignatureOf } from './signature-check.ts';
import type { VerificationAttempt } from './verification-attempt.ts';

/**
 * Tells whether a signature is an account's over some data. A disabled account's public key still verifies what it signed before.
 *
 * A message authentication code can only be checked by making it, so that whoever may ask often enough about data of his own choice can find one
 * out: it is checked only where the platform's configuration says so, for active accounts, and like every verification only on record.
 */
export class VerifySignatureService {
  readonly #registry: RegistryHolder;
  readonly #payloads: PayloadMaker;
  readonly #keyStore: KeyStore;
  readonly #signers: SignerTable;
  readonly #audit: AuditEntryService;
  readonly #clock: Clock;
  readonly #metrics: Pick<Counting, 'attempted'>;

  constructor(
    registry: RegistryHolder,
    payloads: PayloadMaker,
    keyStore: KeyStore,
    signers: SignerTable,
    audit: AuditEntryService,
    clock: Clock,
    metrics: Pick<Counting, 'attempted'> = NO_METRICS,
  ) {
    this.#registry = registry;
    this.#payloads = payloads;
    this.#keyStore = keyStore;
    this.#signers = signers;
    this.#audit = audit;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** The answer is given only after its audit record is durable; without that, the outcome is SIGNATURE_FAILED with reason AUDIT_UNAVAILABLE. */
  async verify(request: VerifyRequest, context: CallContext): Promise<Outcome<VerifiedResult>> {
    const startedAt = this.#clock.monotonic();
    const attempt = this.#attempt(request, context.principal);
    const recorded = await this.#audit.recordVerification(request, attempt, context, startedAt);
    const outcome = recorded.ok ? attempt.outcome : recorded;
    this.#metrics.attempted(endedAttempt('verify', attempt, outcome, this.#clock.monotonic() - startedAt));
    return outcome;
  }

  /** The checks in the order that callers see them. Runs in one turn, so no reload can come between. */
  #attempt(request: VerifyRequest, principal: string | null): VerificationAttempt {
    const { platformId, accountId, data, signature } = request;
    const registry = this.#registry.current;

    const platform = registry.platform(platformId);
    if (platform === undefined) return { outcome: refused(platformNotSupported(platformId)) };

    const account = registry.account(platformId, accountId);
    if (account === undefined) return { platform, outcome: refused(accountNotFound(platformId, accountId)) };

    if (!registry.permissions.allowsOn(principal, 'verify', platformId, accountId)) {
      return {
        platform,
        account,
        outcome: refused(accountPermissionDenied('verify', platformId, accountId, principal)),
      };
    }

    if (isMacAlgorithm(account.algorithm)) {
      if (platform.verify?.mac !== true) {
        return { platform, account, outcome: refused(verificationForbidden(platformId, accountId)) };
      }
      if (account.status !== 'active') {
        return { platform, account, outcome: refused(accountInactive(platformId, accountId)) };
      }
    }

    const made = this.#payloads.make(platform, account, data);
    if (!made.ok) return { platform, account, outcome: made };

    const payload = made.value;
    // No key is opened for an answer that could not be given.
    if (!this.#audit.available) return { platform, account, payload, outcome: refused(auditUnavailable()) };

    return { platform, account, payload, outcome: this.#check(platform, account, payload, signature) };
  }

  #check(platform: Platform, account: Account, payload: Payload, signature: string): Outcome<VerifiedResult> {
    const { platformId, accountId, algorithm } = account;
    const encoding = signatureEncoding(platform, algorithm);
    try {
      const signer = this.#signers[algorithm];
      const valid = isSignatureOf(this.#keyStore, signer, account, payload.bytes, signature, encoding);
      return accepted({ valid, payload });
    } catch (error) {
      return refused(signatureFailed(platformId, accountId, error));
    }
  }
}
