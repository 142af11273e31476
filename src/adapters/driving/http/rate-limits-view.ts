import type { RateLimiter } from '../../../ports/rate-limiter.ts';
import type { RateLimitsReport } from './schemas/answers/status-answer.ts';

/** What bounds callers and accounts; null where nothing does. */
export interface RateLimits {
  /** What each caller may ask for. */
  readonly callers: RateLimiter | null;
  /** How often each address may fail to prove who calls: bounded always, and asked only where a proof failed or is to be looked at. */
  readonly failures: RateLimiter;
  readonly accounts: RateLimiter | null;
}

/** The limits as the status shows them; null where there are none. */
export function rateLimitsView({ callers, accounts }: RateLimits): RateLimitsReport | null {
  const any = callers ?? accounts;
  if (any === null) return null;
  const { budget, sharing } = any;
  const isShared = sharing.mode === 'shared';
  return {
    perCaller: callers?.budget.points ?? null,
    perAccount: accounts?.budget.points ?? null,
    windowSeconds: budget.windowSeconds,
    shared: isShared,
    state: isShared ? sharing.state : 'current',
    apartSince: isShared ? sharing.since : null,
    reason: isShared ? sharing.reason : null,
  };
}
