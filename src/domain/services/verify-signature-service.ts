import type { Clock } from '../../ports/clock.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import type { MetricsRecorder } from '../../ports/metrics.ts';
import type { SignerTable } from '../../ports/signer.ts';
import type { StarknetHasher } from '../../ports/starknet-hasher.ts';
import { MicroBatcher } from '../flow/micro-batcher.ts';
import { TimeSlice } from '../flow/time-slice.ts';
import type { Account } from '../model/account.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import { type NamedRule, type Platform, signatureEncoding } from '../model/platform.ts';
import { auditUnavailable, signatureFailed } from '../model/refusal.ts';
import type { CallContext, VerifiedResult, VerifyRequest } from '../model/sign-request.ts';
import { fromReleasedText, toSignerEncoding } from '../model/text/signature-form.ts';
import { type AuditEntryService, toEndedAttempt, type VerificationAttempt } from './audit-entry-service.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { RetiredKeys } from './retired-keys.ts';
import { findAccount, isSignatureOf, makePayload } from './signing-steps.ts';

/** What a {@link VerifySignatureService} works with. */
export interface VerificationParts {
  readonly registry: RegistryHolder;
  readonly keyStore: KeyStore;
  readonly retiredKeys: RetiredKeys;
  readonly signers: SignerTable;
  readonly hasher: Hasher;
  readonly starknet: StarknetHasher;
  readonly audit: AuditEntryService;
  readonly clock: Clock;
  readonly metrics: MetricsRecorder;
}

/** What a signature is checked against. */
interface Checkable {
  readonly platform: Platform;
  readonly account: Account;
  readonly rule: NamedRule;
  readonly payload: Payload;
}

interface VerificationTask {
  readonly request: VerifyRequest;
  readonly principal: string | null;
}

/** Verifies signatures of accounts, by the same steps as signing. */
export class VerifySignatureService {
  readonly #parts: VerificationParts;
  readonly #batcher: MicroBatcher<VerificationTask, VerificationAttempt>;

  constructor(parts: VerificationParts) {
    this.#parts = parts;
    this.#batcher = new MicroBatcher(parts.clock, (tasks) =>
      new TimeSlice(parts.clock).mapFirst(tasks, tasks.length, (task) => this.#attempt(task)),
    );
  }

  /**
   * Released only after its audit record is durable, else SIGNATURE_FAILED with reason
   * AUDIT_UNAVAILABLE.
   * @throws CallerLeftError
   */
  async verify(request: VerifyRequest, context: CallContext): Promise<Outcome<VerifiedResult>> {
    const { audit, clock, metrics } = this.#parts;
    const startedAt = clock.monotonic();
    const { principal } = context;
    const attempt = await this.#batcher.submit({ request, principal }, context.hasLeft);
    const recorded = await audit.recordVerification(request, attempt, context, startedAt);
    const outcome = recorded.ok ? attempt.outcome : recorded;
    const caller = { principal, durationMs: clock.monotonic() - startedAt };
    metrics.attemptEnded(toEndedAttempt('verify', attempt, outcome, caller));
    return outcome;
  }

  /** In the order of refusals. Synchronous, so that no reload comes between. */
  #attempt({ request, principal }: VerificationTask): VerificationAttempt {
    const found = findAccount(this.#parts.registry.current, 'verify', request, principal);
    if (found.outcome !== null) return found;
    const { platform, account, rule } = found;

    const built = makePayload(found, request, this.#parts);
    if (!built.ok) return { platform, account, rule, outcome: built };
    const payload = built.value;

    // No key is opened for a result that could not be released.
    if (!this.#parts.audit.available) return { platform, account, rule, payload, outcome: refused(auditUnavailable()) };

    const outcome = this.#check({ platform, account, rule, payload }, request.signature);
    const attempt = { platform, account, rule, payload, outcome };
    if (!outcome.ok || outcome.value.valid) return attempt;
    return this.#attemptRetired(request, attempt) ?? attempt;
  }

  /**
   * The same with the account's previous key and values, while an overlap keeps them; undefined if
   * that makes no valid signature either.
   */
  #attemptRetired(request: VerifyRequest, { platform, account, rule }: Checkable): VerificationAttempt | undefined {
    const retired = this.#parts.retiredKeys.find(account);
    if (retired === undefined) return undefined;
    const built = makePayload({ platform, account: retired, rule }, request, this.#parts);
    if (!built.ok) return undefined;
    const attempt = { platform, account: retired, rule, payload: built.value };
    const outcome = this.#check(attempt, request.signature);
    return outcome.ok && outcome.value.valid ? { ...attempt, outcome } : undefined;
  }

  #check({ platform, account, rule, payload }: Checkable, released: string): Outcome<VerifiedResult> {
    const { keyStore, signers } = this.#parts;
    const { platformId, accountId } = account;
    const algorithm = rule.algorithm ?? account.algorithm;
    const form = signatureEncoding(platform, algorithm, rule);
    const signature = fromReleasedText(form, released, payload.text);
    if (signature === undefined) return accepted({ valid: false, payload });
    const encoding = toSignerEncoding(form);
    try {
      const valid = isSignatureOf(keyStore, signers[algorithm], account, payload.bytes, signature, encoding);
      return accepted({ valid, payload });
    } catch (error) {
      return refused(signatureFailed(platformId, accountId, error));
    }
  }
}
