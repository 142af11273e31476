import type { RateLimitState, TrafficState } from '../../../domain/model/service-state.ts';
import type { CallerLimits } from './callers/caller-limits.ts';
import type { FailedProofs } from './callers/failed-proofs.ts';
import type { SigningIntake } from './overload/signing-intake.ts';
import type { RateLimits } from './rate-limits-view.ts';
import type { ServerTls } from './tls/server-tls.ts';
import { tlsStateOf } from './tls/tls-state.ts';

/** What of the server is shown to monitoring. */
export interface TrafficParts {
  readonly intake: SigningIntake;
  readonly maxInFlight: number;
  readonly maxQueue: number;
  readonly limits: CallerLimits | null;
  readonly proofs: FailedProofs;
  readonly rateLimits: RateLimits;
  /** Null for HTTP. */
  readonly tls: ServerTls | null;
}

/** How much callers ask for now. */
export function trafficStateOf(parts: TrafficParts): TrafficState {
  const { intake, maxInFlight, maxQueue, limits, proofs, rateLimits, tls } = parts;
  const { inFlight, queued, heldBytes, refused } = intake.load;
  return {
    ...{ inFlight, maxInFlight, queued, maxQueue, heldBytes },
    overloaded: refused,
    limitedCallers: limits?.refused ?? 0,
    limitedProofs: proofs.refused,
    rateLimits: rateLimitState(rateLimits),
    tls: tls === null ? null : tlsStateOf(tls),
  };
}

function rateLimitState({ callers, accounts }: TrafficParts['rateLimits']): RateLimitState | null {
  const any = callers ?? accounts;
  if (any === null) return null;
  const { budget, sharing } = any;
  return {
    perCaller: callers?.budget.points ?? null,
    perAccount: accounts?.budget.points ?? null,
    windowSeconds: budget.windowSeconds,
    isShared: sharing.mode === 'shared',
    isCurrent: sharing.mode === 'alone' || sharing.state === 'current',
  };
}
