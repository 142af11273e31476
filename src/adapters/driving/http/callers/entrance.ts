import type { RequestHandler } from 'express';
import { authenticateFirst } from '../authentication/authenticate-first.ts';
import type { SigningIntake } from '../overload/signing-intake.ts';
import type { Route } from '../route.ts';
import type { CallerCheck } from './caller-check.ts';
import type { CallerLimits } from './caller-limits.ts';
import type { FailedProofs } from './failed-proofs.ts';

/** Who gets in, of those that are asked who they are, and how often. */
export interface EntranceParts {
  /** What a caller has to pass, in this order. */
  readonly checks: readonly CallerCheck[];
  /** Null where no caller is limited. */
  readonly limits: CallerLimits | null;
  /** How often callers may fail to pass. */
  readonly proofs: FailedProofs;
  /** Reads and proves requests whose bodies nobody wants. */
  readonly intake: Pick<SigningIntake, 'receive' | 'refuseAndClose'>;
  /** Whether callers are asked who they are by the messages of mutual authentication. */
  readonly isAuthenticated: boolean;
}

type Entered = Pick<Route, 'refuse' | 'isAdmittedInside'>;

/** What stands in front of every handler but those of health: who calls is found out, then the request is counted. */
export class Entrance {
  readonly #parts: EntranceParts;

  constructor(parts: EntranceParts) {
    this.#parts = parts;
  }

  /** The handler behind all of it, but for what the route does by itself. */
  before(handler: RequestHandler, { refuse, isAdmittedInside }: Entered): RequestHandler {
    const admitted = isAdmittedInside === true ? handler : this.#proved(this.#paid(handler), refuse);
    return this.#parts.checks.length === 0 ? admitted : this.#checked(admitted, refuse);
  }

  #paid(handler: RequestHandler): RequestHandler {
    const { limits } = this.#parts;
    return limits === null ? handler : limits.paid(handler);
  }

  #proved(handler: RequestHandler, refuse: Route['refuse']): RequestHandler {
    const { intake, isAuthenticated } = this.#parts;
    return isAuthenticated ? authenticateFirst(intake, refuse, handler) : handler;
  }

  #checked(handler: RequestHandler, refuse: Route['refuse']): RequestHandler {
    const { checks, proofs } = this.#parts;
    return async (request, response, next) => {
      for (const check of checks) {
        const refusal = check(request, response);
        if (refusal === null) continue;
        // Who passes is never kept out by others at the same address that don't; the answers to those, and the records of them, are bounded.
        if (await proofs.mayFail(response)) await refuse(response, refusal);
        return;
      }
      await handler(request, response, next);
    };
  }
}
