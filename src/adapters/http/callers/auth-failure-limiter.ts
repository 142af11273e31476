import type { Response } from 'express';
import type { RateLimiter } from '../../../ports/rate-limiter.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { RefusalCounter } from '../admission/refusal-counter.ts';
import { getCallContext } from '../call-context.ts';
import { refuse } from '../refusals.ts';
import { addressKey } from './caller-rate-limiter.ts';

/**
 * Limits failed authentication attempts, and so audit records and signature verifications, by
 * address. At an exhausted address only callers with a known token still authenticate. A method
 * that returns false has responded.
 */
export class AuthFailureLimiter {
  readonly #budget: RateLimiter;
  readonly #refusals: RefusalCounter;

  /** @param budget of each address, in memory */
  constructor(budget: RateLimiter, log: ServiceLog) {
    const message =
      'Too many failed authentication attempts from one address. Further ones are rejected with RATE_LIMITED and not recorded in the audit log.';
    this.#budget = budget;
    this.#refusals = new RefusalCounter(log, message);
  }

  /** Refusals since the service started. */
  get refused(): number {
    return this.#refusals.count;
  }

  /** Whether an unknown token may be verified; consumes no point. */
  mayVerify(response: Response): Promise<boolean> {
    return this.#take(response, 0);
  }

  /** Consumes a point for a failed attempt; false: do not record it. */
  mayFail(response: Response): Promise<boolean> {
    return this.#take(response, 1);
  }

  async #take(response: Response, points: 0 | 1): Promise<boolean> {
    const key = addressKey(getCallContext(response).remoteAddress);
    const [grant] = await this.#budget.take([{ key, points, minPoints: 1 }]);
    if (grant === undefined || grant.granted > 0 || grant.retryAfterMs === 0) return true;
    const { points: limit, windowSeconds } = this.#budget.budget;
    const { retryAfterMs } = grant;
    this.#refusals.refuse(response, refuse('AuthenticationRateLimited', { retryAfterMs, limit, windowSeconds }));
    return false;
  }
}
