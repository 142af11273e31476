import type { Clock } from '../../ports/clock.ts';
import type { Account } from '../model/account.ts';
import { type Outcome, refused } from '../model/outcome.ts';
import type { Payload } from '../model/payload.ts';
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
import type { SignRequest } from '../model/sign-request.ts';
import type { SignedResult } from '../model/signed-result.ts';
import type { AuditEntryService } from './audit-entry-service.ts';
import type { PayloadMaker } from './payload-maker.ts';
import type { SignatureMaker } from './signature-maker.ts';
import type { SigningAttempt } from './signing-attempt.ts';
import { Turns } from './turns.ts';

/** A request, who makes it, and what its account's budget says. */
export interface Asked {
  readonly request: SignRequest;
  /** Of the caller; null for one who need not say. */
  readonly principal: string | null;
  /**
   * Why the account may not sign once more now, as found when its budget was asked for; null when
   * it may.
   */
  readonly limited: Refusal | null;
}

/** The platform and the account of a request, where the account may sign. */
interface Found {
  readonly platform: Platform;
  readonly account: Account;
  readonly outcome: null;
}

/** A request that may not be signed, and how far the checks came. */
interface Unsignable extends SigningAttempt {
  readonly outcome: ReturnType<typeof refused>;
}

/** An attempt that only the signature is missing of. */
interface Ready {
  readonly platform: Platform;
  readonly account: Account;
  readonly payload: Payload;
  readonly outcome: null;
}

/** Signatures that are made in one go: about as much time as a slice. */
const MOST_AT_ONCE = 32;

/** Attempts to sign: the checks in the order that callers see them, then the signature. */
export class AttemptMaker {
  readonly #payloads: PayloadMaker;
  readonly #signatures: SignatureMaker;
  readonly #audit: Pick<AuditEntryService, 'available'>;
  readonly #clock: Clock;

  constructor(
    payloads: PayloadMaker,
    signatures: SignatureMaker,
    audit: Pick<AuditEntryService, 'available'>,
    clock: Clock,
  ) {
    this.#payloads = payloads;
    this.#signatures = signatures;
    this.#audit = audit;
    this.#clock = clock;
  }

  /**
   * Attempts for the first of these requests, in their order: for as many as take a slice of time, at least one. Runs in one turn, so no reload can come between; keys are opened only when all that can be
   * done without them is done.
   */
  makeSome(registry: Registry, requests: readonly Asked[]): readonly SigningAttempt[] {
    const slice = new Turns(this.#clock);
    const prepared: (Ready | SigningAttempt)[] = [];
    for (const asked of requests) {
      prepared.push(this.#prepare(registry, asked));
      if (prepared.length === MOST_AT_ONCE || slice.isOver) break;
    }
    const signed = this.#signatures.makeAll(prepared.filter(isReady)).values();
    return prepared.map((one) =>
      isReady(one) ? { ...one, outcome: signed.next().value as Outcome<SignedResult> } : one,
    );
  }

  /** The account, or how the attempt ends since it may not sign. */
  find(registry: Registry, { platformId, accountId }: SignRequest, principal: string | null): Found | Unsignable {
    const platform = registry.platform(platformId);
    if (platform === undefined) return { outcome: refused(platformNotSupported(platformId)) };

    const account = registry.account(platformId, accountId);
    if (account === undefined) return { platform, outcome: refused(accountNotFound(platformId, accountId)) };

    if (!registry.permissions.allowsOn(principal, 'sign', platformId, accountId)) {
      return { platform, account, outcome: refused(accountPermissionDenied('sign', platformId, accountId, principal)) };
    }

    if (account.status !== 'active') {
      return { platform, account, outcome: refused(accountInactive(platformId, accountId)) };
    }

    return { platform, account, outcome: null };
  }

  #prepare(registry: Registry, { request, principal, limited }: Asked): Ready | SigningAttempt {
    const found = this.find(registry, request, principal);
    if (found.outcome !== null) return found;

    const { platform, account } = found;
    if (limited !== null) return { platform, account, outcome: refused(limited) };

    const made = this.#payloads.make(platform, account, request.data);
    if (!made.ok) return { platform, account, outcome: made };

    const payload = made.value;
    // No key is opened for a signature that could not be released.
    if (!this.#audit.available) return { platform, account, payload, outcome: refused(auditUnavailable()) };

    return { platform, account, payload, outcome: null };
  }
}

function isReady(one: Ready | SigningAttempt): one is Ready {
  return one.outcome === null;
}
