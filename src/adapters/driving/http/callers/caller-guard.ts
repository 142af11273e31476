import type { RequestHandler } from 'express';
import type { RequestCheck } from '../middleware/entry-checks.ts';
import type { SigningIntake } from '../overload/signing-intake.ts';
import type { Route } from '../route.ts';
import type { CallerLimits } from './caller-limits.ts';
import type { FailedProofs } from './failed-proofs.ts';

/** What callers are known by, and how often they may call. */
export interface CallerGuardParts {
  /** What a connection or the headers show of a caller: client certificates. */
  readonly checks: readonly RequestCheck[];
  /** How often callers may fail to pass. */
  readonly proofs: FailedProofs;
  /** Authenticates requests whose bodies are not used. */
  readonly intake: SigningIntake;
  /** Whether callers are authenticated by the messages of mutual authentication. */
  readonly isAuthenticated: boolean;
  /** Null where no caller is limited. */
  readonly limits: CallerLimits | null;
}

type Refuse = Route['refuse'];

/**
 * What callers pass before a handler, in the order in which they see refusals; none of it for
 * health.
 */
export class CallerGuard {
  readonly #parts: CallerGuardParts;

  constructor(parts: CallerGuardParts) {
    this.#parts = parts;
  }

  /** Identification, authentication and the rate limit: all of it. */
  handlers(refuse: Refuse): readonly RequestHandler[] {
    return [...this.identify(refuse), ...this.#authenticate(refuse), ...this.#limitRate()];
  }

  /**
   * The first step alone, for routes whose body is read: {@link SigningIntake.admit} does the
   * others once there is memory for it.
   */
  identify(refuse: Refuse): readonly RequestHandler[] {
    const { checks, proofs } = this.#parts;
    return checks.map((check) => async (request, response, next) => {
      const refusal = check(request, response);
      if (refusal === null) return next();
      // A caller that passes is never kept out by others at the same address that don't; the
      // responses to those, and the records of them, are bounded.
      if (await proofs.mayFail(response)) await refuse(response, refusal);
    });
  }

  #authenticate(refuse: Refuse): readonly RequestHandler[] {
    const { intake, isAuthenticated } = this.#parts;
    if (!isAuthenticated) return [];
    const authenticate: RequestHandler = async (request, response, next) => {
      const body = await intake.receive(request, response);
      if (body === 'answered') return;
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
