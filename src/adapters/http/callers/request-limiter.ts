import type { Response } from 'express';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { CallContext } from '../../../domain/model/sign-request.ts';
import type { RateLimiter } from '../../../ports/window-ledger.ts';
import type { RefusalCounter } from '../admission/refusal-counter.ts';
import { getCallContext } from '../call-context.ts';
import { parseAddress } from './network-list.ts';

/** 16-bit groups of an IPv6 network prefix. */
const NETWORK_GROUPS = 4;

/** Rate limit key of a call: its principal, else its address. */
export function callerKey({ principal, remoteAddress }: Pick<CallContext, 'principal' | 'remoteAddress'>): string {
  return principal === null ? addressKey({ remoteAddress }) : `principal:${principal}`;
}

/**
 * Rate limit key of an address: in IPv6 of its /64, any address of which a host may use (RFC 4862,
 * RFC 8981). All callers whose connection is gone, so without an address, share one key.
 */
export function addressKey({ remoteAddress }: Pick<CallContext, 'remoteAddress'>): string {
  const text = remoteAddress ?? '';
  const address = parseAddress(text);
  if (address === null || !('parts' in address)) return `address:${text}`;
  const groups = address.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `address:${groups.join(':')}::/64`;
}

/** Details of the refusal; null: the request can never fit. */
interface ExceededLimit {
  readonly retryAfterMs: number | null;
  readonly limit: number;
  readonly windowSeconds: number;
}

type ToRefusal = (details: ExceededLimit) => Refusal;

/** Limits requests by caller or address; counts those that it refuses. */
export class RequestLimiter {
  readonly #limiter: RateLimiter;
  readonly #getKey: (context: CallContext) => string;
  readonly #toRefusal: ToRefusal;
  readonly #refusals: RefusalCounter;

  constructor(
    limiter: RateLimiter,
    getKey: (context: CallContext) => string,
    refusals: RefusalCounter,
    toRefusal: ToRefusal,
  ) {
    this.#limiter = limiter;
    this.#getKey = getKey;
    this.#toRefusal = toRefusal;
    this.#refusals = refusals;
  }

  /** Refusals since the service started. */
  get refused(): number {
    return this.#refusals.count;
  }

  /**
   * Takes points, all or none; null if granted.
   * @param points 0 takes none and checks for any
   * @param total the points of the whole request, which a retry takes again
   */
  async take(response: Response, points: number, total = points): Promise<Refusal | null> {
    const { points: maxUnits, windowSeconds, ledger } = this.#limiter;
    if (total > maxUnits) return this.#refuse(response, null);
    const key = this.#getKey(getCallContext(response));
    const limit = { maxUnits, exponent: 0, windowSeconds };
    const charged = await ledger.charge([{ key, units: points, minUnits: Math.max(1, points), ...limit }]);
    const [grant] = charged?.grants ?? [];
    return grant?.isRefused ? this.#refuse(response, grant.retryAfterMs(Math.max(1, total))) : null;
  }

  #refuse(response: Response, retryAfterMs: number | null): Refusal {
    const { points: limit, windowSeconds } = this.#limiter;
    return this.#refusals.refuse(response, this.#toRefusal({ retryAfterMs, limit, windowSeconds }));
  }
}
