import type { Response } from 'express';
import type { RateLimiter } from '../../../../ports/rate-limiter.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import { callerRateLimited } from '../http-refusal.ts';
import { CountedRefusals } from '../overload/counted-refusals.ts';
import { callContextOf } from './call-context.ts';
import { callerKey } from './caller-key.ts';

/**
 * Bounds how much each caller asks for. A request takes a point once it is known who makes it, and before its body is looked at; a batch takes one more for each of its items but the first once they are counted, or is refused as a
 * whole. Every method that may refuse has answered when it says no.
 */
export class CallerLimits {
  readonly #callers: RateLimiter;
  readonly #refusals: CountedRefusals;

  /** @param callers what each caller may ask for */
  constructor(callers: RateLimiter, log: ServiceLog) {
    const message = 'Callers ask for more than they may; requests are refused with RATE_LIMITED.';
    this.#callers = callers;
    this.#refusals = new CountedRefusals(log, message);
  }

  /** Requests that were refused since the service started. */
  get refused(): number {
    return this.#refusals.count;
  }

  /** Takes the point of a request, in the name of who makes it; false when none was left, and the request is answered. */
  async admit(response: Response): Promise<boolean> {
    const key = callerKey(callContextOf(response));
    const [grant] = await this.#callers.take([{ key, points: 1, fewest: 1 }]);
    if (grant === undefined || grant.granted > 0) return true;
    this.#refuse(response, grant.retryAfterMs);
    return false;
  }

  /**
   * Takes the points of a batch whose own was taken already; false when there are not enough, none was taken, and the request is answered.
   * @param items at least 1
   */
  async admitItems(response: Response, items: number): Promise<boolean> {
    const { points, windowSeconds } = this.#callers.budget;
    if (items === 1) return true;
    if (items > points) {
      this.#refuse(response, null);
      return false;
    }
    const key = callerKey(callContextOf(response));
    const [grant] = await this.#callers.take([{ key, points: items - 1, fewest: items - 1 }]);
    if (grant === undefined || grant.granted > 0) return true;
    // The request that is sent again takes its own point again.
    this.#refuse(response, grant.retryAfterMs + Math.ceil((windowSeconds * 1000) / points));
    return false;
  }

  #refuse(response: Response, retryAfterMs: number | null): void {
    this.#refusals.refuse(response, callerRateLimited(this.#callers.budget, retryAfterMs));
  }
}
