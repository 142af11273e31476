import type { Request, RequestHandler, Response } from 'express';
import { CallerLeftError } from '../../../domain/model/errors.ts';
import { accepted, type Outcome } from '../../../domain/model/outcome.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { AuthFailureLimiter } from '../callers/auth-failure-limiter.ts';
import type { CallerRateLimiter } from '../callers/caller-rate-limiter.ts';
import type { BodyAuthentication, RequestAuthentication, Responded } from '../callers/request-authentication.ts';
import { refuse } from '../refusals.ts';
import { type ReceivedBody, readAuthenticatedBody, readJsonBody } from '../request-body.ts';
import { BodyBudget } from './body-budget.ts';
import { RefusalCounter } from './refusal-counter.ts';
import { type Release, Semaphore } from './semaphore.ts';

const WARNING = 'Overloaded: requests are rejected with OVERLOADED.';

/** Batches get three quarters, so that neither kind blocks the other. */
const BATCH_SHARE = 3 / 4;
const BATCH_QUEUE_SHARE = 1 / 16;
const MAX_WAIT_MS = { single: 1000, batch: 5000 };

/** One signature or verification, or a batch of signatures. */
export type WorkKind = 'single' | 'batch';

export interface SigningLimits {
  /** Maximum number of concurrent signatures. */
  readonly maxInFlight: number;
  /** Maximum number of waiting single requests; a sixteenth of it for batches. */
  readonly maxQueue: number;
}

/** Current load, and refusals since the service started. */
export interface IntakeLoad {
  /** Signatures in progress. */
  readonly inFlight: number;
  /** Waiting requests. */
  readonly queued: number;
  /** Bytes reserved for request bodies. */
  readonly heldBytes: number;
  readonly refused: number;
}

/** Authentication of callers, and the limit on failed attempts. */
export interface AuthenticatedCallers {
  readonly authentication: RequestAuthentication;
  readonly failures: AuthFailureLimiter;
}

/** How callers are authenticated and limited. */
export interface CallerParts {
  /** Null without authentication. */
  readonly authenticatedCallers: AuthenticatedCallers | null;
  /** Null without a rate limit. */
  readonly limits: CallerRateLimiter | null;
}

/** Acquires permits, 1 by default; false if refused and responded. */
export type Acquire = (signatures?: number) => Promise<boolean>;

/** Handles an admitted request; acquires permits once their number is known. */
export type Work = (body: Outcome<Buffer>, acquire: Acquire) => Promise<void>;

/**
 * Admits requests to sign and verify up to capacity, else OVERLOADED. Bodies are read first, into
 * reserved memory, so that slow ones block nobody.
 */
export class SigningIntake {
  readonly #capacity: { readonly [Kind in WorkKind]: Semaphore };
  readonly #budget = new BodyBudget();
  readonly #refusals: RefusalCounter;
  readonly #callers: CallerParts;

  constructor({ maxInFlight, maxQueue }: SigningLimits, log: ServiceLog, callers: CallerParts) {
    const items = Math.floor(maxInFlight * BATCH_SHARE);
    const batches = Math.ceil(maxQueue * BATCH_QUEUE_SHARE);
    this.#capacity = {
      single: new Semaphore({ permits: maxInFlight - items, maxWaiting: maxQueue, maxWaitMs: MAX_WAIT_MS.single }),
      batch: new Semaphore({ permits: items, maxWaiting: batches, maxWaitMs: MAX_WAIT_MS.batch }),
    };
    this.#callers = callers;
    this.#refusals = new RefusalCounter(log, WARNING, () => this.load);
  }

  get load(): IntakeLoad {
    const { single, batch } = this.#capacity;
    return {
      inFlight: single.inUse + batch.inUse,
      queued: single.waiting + batch.waiting,
      heldBytes: this.#budget.reservedBytes,
      refused: this.#refusals.count,
    };
  }

  /** Refuses requests while the queue is full, before their body is read. */
  refuseWhenFull(kind: WorkKind): RequestHandler {
    return (_request, response, next) => {
      if (this.#capacity[kind].isFull) this.refuse(response);
      else next();
    };
  }

  /** Authenticates a body that is not used; without authentication leaves it unread. */
  async receive(request: Request, response: Response): Promise<Outcome<Buffer> | Responded> {
    const reservation = this.#budget.reserve(request);
    if (reservation === null) return this.#refuseUnread(response);
    try {
      const body = await this.#read(request, response, async (authenticate) =>
        authenticate === null ? accepted(Buffer.alloc(0)) : readAuthenticatedBody(request, reservation, authenticate),
      );
      return body === 'no memory' ? this.#refuseUnread(response) : body;
    } finally {
      reservation.release();
    }
  }

  /** Reads the body, authenticates and rate limits the caller, and does the work. */
  async admit(kind: WorkKind, request: Request, response: Response, work: Work): Promise<void> {
    const reservation = this.#budget.reserve(request);
    if (reservation === null) return this.refuse(response);
    const acquired: Release[] = [];
    try {
      const body = await this.#read(request, response, (authenticate) =>
        readJsonBody(request, reservation, authenticate),
      );
      if (body === 'responded') return;
      if (body === 'no memory') return this.refuse(response);
      const { limits } = this.#callers;
      const isAuthenticated = body.ok || body.refusal.code !== 'UNAUTHENTICATED';
      if (limits !== null && isAuthenticated && !(await limits.admit(response))) return;
      await work(body, async (signatures) => {
        const release = await this.#capacity[kind].acquire(response, signatures);
        if (release === null) this.refuse(response);
        else acquired.push(release);
        return release !== null;
      });
      // Node keeps the request until its body is read to the end.
      if (body.ok) request.read();
    } catch (error) {
      if (!(error instanceof CallerLeftError)) throw error;
    } finally {
      for (const release of acquired) release();
      reservation.release();
    }
  }

  /** Refuses a request for lack of capacity or memory. */
  refuse(response: Response): void {
    this.#refusals.refuse(response, refuse('Overloaded'));
  }

  #refuseUnread(response: Response): Responded {
    this.refuse(response);
    return 'responded';
  }

  /** Authenticates the caller and reads the body. Failed attempts are rate limited. */
  async #read(
    request: Request,
    response: Response,
    read: (authenticate: BodyAuthentication | null) => Promise<ReceivedBody>,
  ): Promise<ReceivedBody | Responded> {
    const { authenticatedCallers } = this.#callers;
    if (authenticatedCallers === null) return read(null);
    const { authentication, failures } = authenticatedCallers;
    const limitFailure = async (refused: ReceivedBody) => ((await failures.mayFail(response)) ? refused : 'responded');
    const started = await authentication.begin(request, response, () => failures.mayVerify(response));
    if (started === 'responded') return started;
    if (!started.ok) return limitFailure(started);
    const { value: authenticate } = started;
    if (authenticate === null) return read(null);
    let isAuthenticated = false;
    const body = await read(async (sent) => {
      const refusal = await authenticate(sent);
      isAuthenticated = refusal?.code !== 'UNAUTHENTICATED';
      return refusal;
    });
    // An incomplete body proves nothing: an observed token suffices to send one.
    return body === 'no memory' || body.ok || isAuthenticated ? body : limitFailure(body);
  }
}
