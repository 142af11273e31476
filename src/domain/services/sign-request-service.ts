import type { Clock } from '../../ports/clock.ts';
import type { Hasher } from '../../ports/hasher.ts';
import type { KeyStore } from '../../ports/key-store.ts';
import { type Counting, NO_METRICS } from '../../ports/metrics.ts';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { SignerTable } from '../../ports/signer.ts';
import type { TypedDataEncoder } from '../../ports/typed-data-encoder.ts';
import type { Account } from '../model/account.ts';
import { accepted, type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
import type { Platform } from '../model/platform.ts';
import { signatureEncoding } from '../model/platform-defaults.ts';
import { auditUnavailable, type Refusal, signatureFailed, signatureFaulty } from '../model/refusal.ts';
import type { CallContext, SignRequest } from '../model/sign-request.ts';
import type { SignedResult } from '../model/signed-result.ts';
import { timeText } from '../model/time-text.ts';
import { AccountLimits } from './account-limits.ts';
import { endedAttempt, type SigningAttempt } from './attempt.ts';
import type { AuditEntryService, SigningCircumstances } from './audit-entry-service.ts';
import { MicroBatcher } from './micro-batcher.ts';
import type { RegistryHolder } from './registry-holder.ts';
import type { SigningPerformance } from './signing-performance.ts';
import { findAccount, makePayload } from './signing-steps.ts';
import { TimeSlice } from './time-slice.ts';

/** What a SignRequestService works with. */
export interface SigningParts {
  readonly registry: RegistryHolder;
  readonly keyStore: KeyStore;
  readonly signers: SignerTable;
  readonly hasher: Hasher;
  readonly typedData: TypedDataEncoder;
  readonly audit: AuditEntryService;
  readonly performance: SigningPerformance;
  readonly clock: Clock;
  /** How often each account signs; null where nothing limits it. */
  readonly limiter: RateLimiter | null;
  readonly metrics?: Counting;
  /**
   * Whether each signature is verified with the account's public key before it is released. A
   * signature that a fault of the machine spoilt can reveal the key that made it. A spoilt HMAC
   * reveals nothing, and is not made twice.
   */
  readonly verifiesSignatures: boolean;
}

/** A request to sign, and how it came. */
export interface SigningTask extends SigningCircumstances {
  readonly request: SignRequest;
  /**
   * Why the account's rate limit, or a check before it, refuses the request; null where they don't.
   */
  readonly limited: Refusal | null;
}

/** An attempt that is over and not counted yet. */
export interface EndedSigning {
  readonly attempt: SigningAttempt;
  /** What the caller gets: that of the attempt, unless this could not be recorded. */
  readonly outcome: Outcome<SignedResult>;
}

/** An attempt that lacks only the signature. */
interface Signable {
  readonly platform: Platform;
  readonly account: Account;
  readonly payload: Payload;
  readonly outcome: null;
}

/** Most signatures that are made in one opening of the vault: about as much time as a slice. */
export const MAX_SIGNED_TOGETHER = 32;

/**
 * Turns a request into a signature, or into the reason why there is none. The one way in which
 * anything gets signed.
 */
export class SignRequestService {
  readonly #parts: SigningParts;
  readonly #metrics: Counting;
  readonly #limits: AccountLimits | null;
  readonly #batcher: MicroBatcher<SigningTask, EndedSigning>;

  constructor(parts: SigningParts) {
    this.#parts = parts;
    this.#metrics = parts.metrics ?? NO_METRICS;
    this.#limits = parts.limiter === null ? null : new AccountLimits(parts.limiter);
    this.#batcher = new MicroBatcher(parts.clock, (tasks) => this.signSome(tasks));
  }

  /** Whether anything limits how often an account signs. */
  get isLimited(): boolean {
    return this.#limits !== null;
  }

  /**
   * Signs one request, together with what else arrives in this turn of the event loop; see {@link
   * signSome} for what is checked. The outcome is accepted only after its audit record is durable.
   */
  async sign(request: SignRequest, context: CallContext): Promise<Outcome<SignedResult>> {
    const { clock } = this.#parts;
    const startedAt = clock.monotonic();
    const limited = this.#limits === null ? null : await this.#limit(this.#limits, request, context.principal);
    const ended = await this.#batcher.submit({ request, context, batchRequestId: null, startedAt, limited });
    this.count(ended, clock.monotonic() - startedAt);
    return ended.outcome;
  }

  /**
   * The checklist of a signature, from an authenticated caller to a released signature, in the
   * order in which callers see refusals. It takes the first of these tasks, at least one: as many
   * as take a slice of time. Up to the signature all of that is one synchronous piece of work, so
   * that no reload comes between a look-up and the use of its key.
   * @returns for each task that was taken, in their order, how it ended; the caller has to {@link
   * count} it
   */
  signSome(tasks: readonly SigningTask[]): readonly Promise<EndedSigning>[] {
    const { audit, clock } = this.#parts;
    const registry = this.#parts.registry.current;

    const check = ({ request, context, limited }: SigningTask): Signable | SigningAttempt => {
      // 1. The platform is configured: 400 PLATFORM_NOT_SUPPORTED.
      // 2. It has the account: 404 ACCOUNT_NOT_FOUND.
      // 3. The caller may sign with it: 403 FORBIDDEN.
      // 4. The account is active: 423 ACCOUNT_INACTIVE.
      const found = findAccount(registry, 'sign', request, context.principal);
      if (found.outcome !== null) return found;
      const { platform, account } = found;

      // 5. The account is within its rate limit: 429 RATE_LIMITED.
      if (limited !== null) return { platform, account, outcome: refused(limited) };

      // 6. The data has the shape of the platform's format, and its rule makes the bytes to sign:
      // 400 INVALID_DATA_FORMAT.
      const made = makePayload(platform, account, request.data, this.#parts);
      if (!made.ok) return { platform, account, outcome: made };
      const payload = made.value;

      // 7. Records can be written: no key is opened for a signature that could not be released. 500
      // SIGNATURE_FAILED.
      if (!audit.available) return { platform, account, payload, outcome: refused(auditUnavailable()) };

      return { platform, account, payload, outcome: null };
    };
    const checked = mapSlice(tasks, clock, check);

    // 8. The key is opened and signs, all of them in one opening of the vault: 500
    // SIGNATURE_FAILED.
    // 9. The signature verifies with the account's public key, where that is configured: 500
    // SIGNATURE_FAILED.
    const attempts = this.#signTogether(checked);

    // 10. The audit record of the attempt is durable: 500 SIGNATURE_FAILED. The sink counts it as
    // usage of the account.
    // 11. The attempt is counted, and its outcome released: by `sign`, or of a batch when all of it
    // ended.
    return attempts.map(async (attempt, index) => {
      const task = tasks[index] as SigningTask;
      const recorded = await audit.recordAttempt(task.request, attempt, task);
      return { attempt, outcome: recorded.ok ? attempt.outcome : recorded };
    });
  }

  /**
   * Counts an attempt that ended, for status and metrics.
   * @param durationMs from its request until its record was durable; of an item of a batch, that
   * time of the batch divided by its items
   */
  count({ attempt, outcome }: EndedSigning, durationMs: number): void {
    const { performance } = this.#parts;
    if (outcome !== attempt.outcome) performance.countUnrecorded();
    else if (outcome.ok) performance.countReleased(durationMs);
    this.#metrics.attempted(endedAttempt('sign', attempt, outcome, durationMs));
  }

  /**
   * Takes what these requests need of the rate limits of their accounts. A request that is refused
   * now takes nothing, and stays refused if a reload allows it before its slice.
   * @returns for each request why it may not sign, or null; nothing at all where nothing is limited
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

  /**
   * An account that does not exist or may not sign has no rate limit; the request stays refused.
   */
  async #limit(limits: AccountLimits, request: SignRequest, principal: string | null): Promise<Refusal | null> {
    const { account, outcome } = findAccount(this.#parts.registry.current, 'sign', request, principal);
    return outcome === null ? limits.take(account) : outcome.refusal;
  }

  /**
   * The vault stays shut where nothing is left to sign. Where it can't be opened, every signature
   * fails.
   */
  #signTogether(checked: readonly (Signable | SigningAttempt)[]): readonly SigningAttempt[] {
    const { keyStore } = this.#parts;
    const end = (sign: (signable: Signable) => Outcome<SignedResult>) =>
      checked.map((one) => (one.outcome === null ? { ...one, outcome: sign(one) } : one));
    const signAll = () => end((signable) => this.#makeSignature(signable));
    if (keyStore.together === undefined || checked.every(({ outcome }) => outcome !== null)) return signAll();
    try {
      return keyStore.together(signAll);
    } catch (error) {
      return end(({ account }) => refused(signatureFailed(account.platformId, account.accountId, error)));
    }
  }

  /** The one place where keys are opened for callers. */
  #makeSignature({ platform, account, payload }: Signable): Outcome<SignedResult> {
    const { keyStore, signers, clock, verifiesSignatures } = this.#parts;
    const { platformId, accountId, algorithm, publicKey } = account;
    const encoding = signatureEncoding(platform, algorithm);
    try {
      const signer = signers[algorithm];
      const signature = keyStore.use(account.key, (key) => signer.sign(key, payload.bytes, encoding));
      const signedAt = timeText(clock.now());
      if (verifiesSignatures && signer.kind === 'public-key') {
        const isRight = signer.verify(publicKey, payload.bytes, signature, encoding);
        if (!isRight) return refused(signatureFaulty(platformId, accountId));
      }
      return accepted({ signature, algorithm, encoding, publicKey, signedAt, payload });
    } catch (error) {
      return refused(signatureFailed(platformId, accountId, error));
    }
  }
}

/**
 * Maps the first items: as many as take a slice of time, at least one and at most {@link
 * MAX_SIGNED_TOGETHER}.
 */
function mapSlice<Item, Result>(items: readonly Item[], clock: Clock, map: (item: Item) => Result): readonly Result[] {
  const slice = new TimeSlice(clock);
  const results: Result[] = [];
  for (const item of items) {
    results.push(map(item));
    if (results.length === MAX_SIGNED_TOGETHER || slice.expired) break;
  }
  return results;
}
