import { isIPv6 } from 'node:net';
import type { Response } from 'express';
import type { CallContext } from '../../../domain/model/sign-request.ts';
import type { RateLimiter } from '../../../ports/rate-limiter.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import { RefusalCounter } from '../admission/refusal-counter.ts';
import { getCallContext } from '../call-context.ts';
import { refuse } from '../refusals.ts';
import { toIpv6Groups } from './network.ts';

/** 16-bit groups of an IPv6 network prefix. */
const NETWORK_GROUPS = 4;

/** Rate limit key of a call: its principal, else its address. */
export function callerKey({ principal, remoteAddress }: Pick<CallContext, 'principal' | 'remoteAddress'>): string {
  return principal === null ? addressKey(remoteAddress) : `principal:${principal}`;
}

/**
 * Rate limit key of an address: in IPv6 its /64, any address of which a host may use (RFC 4862, RFC
 * 8981). Null: the connection is gone.
 */
export function addressKey(remoteAddress: string | null): string {
  const address = remoteAddress ?? '';
  if (!isIPv6(address)) return `address:${address}`;
  // Zones (`%eth0`) are local to a host.
  const groups = toIpv6Groups(address.replace(/%.*/, ''));
  return `address:${groups.slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

/**
 * Rate limits callers: a point for a request, before its body is parsed, and one for each further
 * item of a batch, all or none. A method that returns false has responded.
 */
export class CallerRateLimiter {
  readonly #callers: RateLimiter;
  readonly #refusals: RefusalCounter;

  /** @param callers budget of each caller */
  constructor(callers: RateLimiter, log: ServiceLog) {
    const message = 'Callers exceed their rate limit: requests are rejected with RATE_LIMITED.';
    this.#callers = callers;
    this.#refusals = new RefusalCounter(log, message);
  }

  /** Refusals since the service started. */
  get refused(): number {
    return this.#refusals.count;
  }

  /** Takes the point of a request. */
  async admit(response: Response): Promise<boolean> {
    const key = callerKey(getCallContext(response));
    const [grant] = await this.#callers.take([{ key, points: 1, minPoints: 1 }]);
    if (grant === undefined || grant.granted > 0) return true;
    this.#refuse(response, grant.retryAfterMs);
    return false;
  }

  /**
   * Takes the other points of a batch, all or none.
   * @param items at least 1
   */
  async admitItems(response: Response, items: number): Promise<boolean> {
    const { points, windowSeconds } = this.#callers.budget;
    if (items === 1) return true;
    if (items > points) {
      this.#refuse(response, null);
      return false;
    }
    const key = callerKey(getCallContext(response));
    const [grant] = await this.#callers.take([{ key, points: items - 1, minPoints: items - 1 }]);
    if (grant === undefined || grant.granted > 0) return true;
    // A retry takes the point of the request again.
    this.#refuse(response, grant.retryAfterMs + Math.ceil((windowSeconds * 1000) / points));
    return false;
  }

  #refuse(response: Response, retryAfterMs: number | null): void {
    const { points: limit, windowSeconds } = this.#callers.budget;
    this.#refusals.refuse(response, refuse('CallerRateLimited', { retryAfterMs, limit, windowSeconds }));
  }
}
