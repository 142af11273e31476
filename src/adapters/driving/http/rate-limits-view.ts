import type { JsonObject } from '../../../domain/model/json.ts';
import type { RateLimiter } from '../../../ports/rate-limiter.ts';
import type { CallerBudgets } from './caller-limits.ts';

/** What bounds callers and accounts; null where nothing does. */
export interface RateLimits {
  readonly callers: CallerBudgets | null;
  readonly accounts: Pick<RateLimiter, 'budget' | 'sharing'> | null;
}

/** The limits as the status shows them; null where there are none. */
export function rateLimitsView({ callers, accounts }: RateLimits): JsonObject | null {
  const any = callers?.callers ?? accounts;
  if (any === null) return null;
  const { budget, sharing } = any;
  const isShared = sharing.mode === 'shared';
  return {
    perCaller: callers?.callers.budget.points ?? null,
    perAccount: accounts?.budget.points ?? null,
    windowSeconds: budget.windowSeconds,
    shared: isShared,
    state: isShared ? sharing.state : 'current',
    apartSince: isShared ? sharing.since : null,
    reason: isShared ? sharing.reason : null,
  };
}
