import type { RequestHandler } from 'express';
import type { SigningIntake } from '../admission/signing-intake.ts';
import type { RequestCheck } from '../middleware/entry-checks.ts';
import type { Route } from '../route.ts';
import type { AuthFailureLimiter } from './auth-failure-limiter.ts';
import type { CallerRateLimiter } from './caller-rate-limiter.ts';

/** Dependencies of the guard. */
export interface CallerGuardDependencies {
  /** Identity checks on the connection: client certificates. */
  readonly checks: readonly RequestCheck[];
  /** Limits failed checks. */
  readonly failures: AuthFailureLimiter;
  /** Authenticates requests whose bodies are not used. */
  readonly intake: SigningIntake;
  /** Whether mutual authentication is on. */
  readonly isAuthenticated: boolean;
  /** Null without a rate limit. */
  readonly limits: CallerRateLimiter | null;
}

type Refuse = Route['refuse'];

/** Identification, authentication and rate limit of callers, in this order; not for health. */
export class CallerGuard {
  readonly #parts: CallerGuardDependencies;

  constructor(parts: CallerGuardDependencies) {
    this.#parts = parts;
  }

  /** All three checks. */
  handlers(refuse: Refuse): readonly RequestHandler[] {
    return [...this.identify(refuse), ...this.#authenticate(refuse), ...this.#limitRate()];
  }

  /** Identification only, for routes with a body: {@link SigningIntake.admit} does the rest. */
  identify(refuse: Refuse): readonly RequestHandler[] {
    const { checks, failures } = this.#parts;
    return checks.map((check) => async (request, response, next) => {
      const refusal = check(request, response);
      if (refusal === null) return next();
      // Limits responses and audit records of failed checks; never keeps valid callers out.
      if (await failures.mayFail(response)) await refuse(response, refusal);
    });
  }

  #authenticate(refuse: Refuse): readonly RequestHandler[] {
    const { intake, isAuthenticated } = this.#parts;
    if (!isAuthenticated) return [];
    const authenticate: RequestHandler = async (request, response, next) => {
      const body = await intake.receive(request, response);
      if (body === 'responded') return;
      if (body.ok) return next();
      await refuse(response, body.refusal);
    };
    return [authenticate];
  }

  #limitRate(): readonly RequestHandler[] {
    const { limits } = this.#parts;
    if (limits === null) return [];
    return [async (_request, response, next) => void ((await limits.admit(response)) && next())];
  }
}
