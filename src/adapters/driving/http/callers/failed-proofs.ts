import type { Response } from 'express';
import type { RateLimiter } from '../../../../ports/rate-limiter.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { authenticationRateLimited } from '../http-refusal.ts';
import { CountedRefusals } from '../overload/counted-refusals.ts';
import { callContextOf } from './call-context.ts';
import { addressKey } from './caller-key.ts';

/** Time between two lines of the log that speak of failed proofs, milliseconds. */
const NOTICE_MS = 60_000;

/**
 * Bounds how often each address may fail to prove who calls, and so what somebody who can prove nothing costs: records, and signatures that are verified. It is asked once a proof failed, so that nobody who proves who he is is kept out
 * by others at his address; but for one whose token takes work to look at, where the address has failed as often as it may. Every method that may refuse has answered when it says no.
 */
export class FailedProofs {
  readonly #budget: RateLimiter;
  readonly #refusals: CountedRefusals;

  /** @param budget of each address, in memory: it is asked before it is known who calls */
  constructor(budget: RateLimiter, log: ServiceLog) {
    const message =
      'Proofs of who calls fail more often than an address may; more are refused with RATE_LIMITED, and are on no record.';
    this.#budget = budget;
    this.#refusals = new CountedRefusals(log, message, () => ({}), NOTICE_MS);
  }

  /** Requests that were refused since the service started. */
  get refused(): number {
    return this.#refusals.count;
  }

  /** Whether a proof that takes work may be looked at; false when this address failed too often of late, and the request is answered. */
  mayVerify(response: Response): Promise<boolean> {
    return this.#take(response, 0);
  }

  /** Takes the point of a proof that failed; false when none was left, and the request is answered: then it belongs on no record. */
  mayFail(response: Response): Promise<boolean> {
    return this.#take(response, 1);
  }

  async #take(response: Response, points: 0 | 1): Promise<boolean> {
    const key = addressKey(callContextOf(response).remoteAddress);
    const [grant] = await this.#budget.take([{ key, points, fewest: 1 }]);
    if (grant === undefined || grant.granted > 0 || grant.retryAfterMs === 0) return true;
    // It is not said any more what would do.
    response.removeHeader('WWW-Authenticate');
    this.#refusals.refuse(response, authenticationRateLimited(this.#budget.budget, grant.retryAfterMs));
    return false;
  }
}
