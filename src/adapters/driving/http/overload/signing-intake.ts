import type { Request, RequestHandler, Response } from 'express';
import { accepted } from '../../../../domain/model/outcome.ts';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import type { Answered, BodyProof, RequestAuthentication } from '../authentication/request-authentication.ts';
import type { CallerLimits } from '../callers/caller-limits.ts';
import type { FailedProofs } from '../callers/failed-proofs.ts';
import { overloaded, type Received } from '../http-refusal.ts';
import { type ReceivedBody, readJsonBody, readProvedBody } from '../request-body.ts';
import { BodyBudget } from './body-budget.ts';
import { CountedRefusals } from './counted-refusals.ts';
import { type Release, Semaphore } from './semaphore.ts';

/** When a refused caller may come back, seconds: as long as a single request waits at most. */
const RETRY_AFTER_SECONDS = 1;

const WARNING = 'More is asked for than can be done in time; requests are refused with OVERLOADED.';

/**
 * Batches have three quarters of the signatures in the making, so that neither kind of request
 * keeps the other out.
 */
const BATCH_SHARE = 3 / 4;
const BATCH_QUEUE_SHARE = 1 / 16;
const MAX_WAIT_MS = { single: 1000, batch: 5000 };

/** What is asked for: one signature or verification, or a batch of signatures. */
export type WorkKind = 'single' | 'batch';

/** How much is taken on. */
export interface SigningLimits {
  /** Signatures in the making at once. */
  readonly maxInFlight: number;
  /** Single requests that wait; of batches a sixteenth of that. */
  readonly maxQueue: number;
}

/** How much there is to do, and how many requests were refused for that since the service started. */
export interface IntakeLoad {
  /** Signatures in the making. */
  readonly inFlight: number;
  /** Requests that wait for their turn. */
  readonly queued: number;
  /** Bytes that are reserved for request bodies. */
  readonly heldBytes: number;
  readonly refused: number;
}

/** How callers are authenticated, and how often they may fail. */
export interface AskedCallers {
  readonly authentication: RequestAuthentication;
  readonly proofs: FailedProofs;
}

/** How callers are known, and what each may ask for. */
export interface CallerParts {
  /** Null where callers are not authenticated. */
  readonly asked: AskedCallers | null;
  /** Null where nothing bounds what a caller asks for. */
  readonly limits: CallerLimits | null;
}

/**
 * Waits until so many signatures can be made, 1 by default; false when they can not in time, and
 * the request is refused.
 */
export type Acquire = (signatures?: number) => Promise<boolean>;

/**
 * What is done with a request that was let in. It acquires what it needs once it knows how much
 * that is.
 */
export type Work = (body: Received<Buffer>, acquire: Acquire) => Promise<void>;

/**
 * Lets requests to sign and to verify in, as many as can be worked on in time, and refuses the
 * others with OVERLOADED. A body that is still on its way keeps no other request out: it is read
 * first, in memory that was reserved for it.
 */
export class SigningIntake {
  readonly #capacity: { readonly [Kind in WorkKind]: Semaphore };
  readonly #budget = new BodyBudget();
  readonly #refusals: CountedRefusals;
  readonly #callers: CallerParts;

  constructor({ maxInFlight, maxQueue }: SigningLimits, log: ServiceLog, callers: CallerParts) {
    const items = Math.floor(maxInFlight * BATCH_SHARE);
    const batches = Math.ceil(maxQueue * BATCH_QUEUE_SHARE);
    this.#capacity = {
      single: new Semaphore({ permits: maxInFlight - items, maxWaiting: maxQueue, maxWaitMs: MAX_WAIT_MS.single }),
      batch: new Semaphore({ permits: items, maxWaiting: batches, maxWaitMs: MAX_WAIT_MS.batch }),
    };
    this.#callers = callers;
    this.#refusals = new CountedRefusals(log, WARNING, () => this.load);
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

  /** Refuses such requests before their body is read, as long as more than can wait are waiting. */
  refuseWhenFull(kind: WorkKind): RequestHandler {
    return (_request, response, next) => {
      if (this.#capacity[kind].isFull) this.refuse(response);
      else next();
    };
  }

  /** Reads and authenticates a body that is not used. Without authentication it is left unread. */
  async receive(request: Request, response: Response): Promise<Received<Buffer> | Answered> {
    const room = this.#budget.reserve(request);
    if (room === null) return this.#refuseAndClose(response);
    try {
      const body = await this.#read(request, response, async (prove) =>
        prove === null ? accepted(Buffer.alloc(0)) : readProvedBody(request, room, prove),
      );
      return body === 'no room' ? this.#refuseAndClose(response) : body;
    } finally {
      room.release();
    }
  }

  /** Reads the body, authenticates and limits its caller, and has the work done. */
  async admit(kind: WorkKind, request: Request, response: Response, work: Work): Promise<void> {
    const room = this.#budget.reserve(request);
    if (room === null) return void this.#refuseAndClose(response);
    const acquired: Release[] = [];
    try {
      const body = await this.#read(request, response, (prove) => readJsonBody(request, room, prove));
      if (body === 'answered') return;
      if (body === 'no room') return void this.#refuseAndClose(response);
      const { limits } = this.#callers;
      const isAuthenticated = body.ok || body.refusal.code !== 'UNAUTHENTICATED';
      if (limits !== null && isAuthenticated && !(await limits.admit(response))) return;
      await work(body, async (signatures) => {
        const release = await this.#capacity[kind].acquire(response, signatures);
        if (release === null) this.refuse(response);
        else acquired.push(release);
        return release !== null;
      });
      // Node keeps a request until the end of its body was read, too. One that was refused it drops by itself.
      if (body.ok) request.read();
    } finally {
      for (const release of acquired) release();
      room.release();
    }
  }

  /** Refuses a request for which there is no capacity. */
  refuse(response: Response): void {
    this.#refusals.refuse(response, overloaded(RETRY_AFTER_SECONDS));
  }

  /**
   * Refuses a request whose body there is no memory for, and closes the connection, so that it is
   * not sent.
   */
  #refuseAndClose(response: Response): Answered {
    response.setHeader('Connection', 'close');
    this.refuse(response);
    return 'answered';
  }

  /** Authenticates the caller and reads the body. Attempts that fail are rate limited. */
  async #read(
    request: Request,
    response: Response,
    read: (prove: BodyProof | null) => Promise<ReceivedBody>,
  ): Promise<ReceivedBody | Answered> {
    const { asked } = this.#callers;
    if (asked === null) return read(null);
    const { authentication, proofs } = asked;
    const mayFail = async (refused: ReceivedBody) => ((await proofs.mayFail(response)) ? refused : 'answered');
    const begun = await authentication.begin(request, response, () => proofs.mayVerify(response));
    if (begun === 'answered') return begun;
    if (!begun.ok) return mayFail(begun);
    const { value: prove } = begun;
    if (prove === null) return read(null);
    let isProved = false;
    const body = await read(async (sent) => {
      const refusal = await prove(sent);
      isProved = refusal?.code !== 'UNAUTHENTICATED';
      return refusal;
    });
    // A body that did not come whole proves nothing: a token that somebody saw is enough to send one.
    return body === 'no room' || body.ok || isProved ? body : mayFail(body);
  }
}
