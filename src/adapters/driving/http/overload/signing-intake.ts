import type { Request, RequestHandler, Response } from 'express';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import type { Answered, BodyProof, RequestAuthentication } from '../authentication/request-authentication.ts';
import type { CallerLimits } from '../callers/caller-limits.ts';
import type { FailedProofs } from '../callers/failed-proofs.ts';
import { overloaded, type Received } from '../http-refusal.ts';
import { type ReceivedBody, readJsonBody, readProvedBody } from '../request-body.ts';
import { BodyBudget } from './body-budget.ts';
import { CountedRefusals } from './counted-refusals.ts';
import { type Permit, SigningLimiter, type SigningLimits, type WorkKind, type WorkLoad } from './signing-limiter.ts';

/** When a refused caller may come back, seconds: as long as a single request waits at most. */
const RETRY_AFTER_SECONDS = 1;

const WARNING = 'More is asked for than can be done in time; requests are refused with OVERLOADED.';

/** How much there is to do, and how many requests were refused for that since the service started. */
export interface IntakeLoad extends WorkLoad {
  /** Bytes that are reserved for request bodies. */
  readonly heldBytes: number;
  readonly refused: number;
}

/** Of a request that asks for no signature any more. */
const OUTSIDE: Permit = { reserve: async () => true, release: () => undefined };

/** How callers are authenticated, and how often they may fail. */
export interface AskedCallers {
  readonly authentication: Pick<RequestAuthentication, 'begin'>;
  readonly proofs: FailedProofs;
}

/** How callers are known, and what each may ask for. */
export interface CallerParts {
  /** Null where callers are not authenticated. */
  readonly asked: AskedCallers | null;
  /** Null where nothing bounds what a caller asks for. */
  readonly limits: CallerLimits | null;
}

/** What is done with a request that was let in. */
export type Work = (body: Received<Buffer>, permit: Permit) => Promise<void>;

/**
 * Lets requests to sign and to verify in, as many as can be worked on in time, and refuses the others with OVERLOADED. A body that is
 * still on its way takes no permit to sign from others: it is read first, in memory that was reserved for it.
 */
export class SigningIntake {
  readonly #limiter: SigningLimiter;
  readonly #budget: BodyBudget;
  readonly #refusals: CountedRefusals;
  readonly #callers: CallerParts;

  constructor(
    limits: SigningLimits,
    log: ServiceLog,
    callers: CallerParts = { asked: null, limits: null },
    budget = new BodyBudget(),
  ) {
    this.#limiter = new SigningLimiter(limits);
    this.#callers = callers;
    this.#budget = budget;
    this.#refusals = new CountedRefusals(log, WARNING, () => this.#load());
  }

  get load(): IntakeLoad {
    return { ...this.#load(), refused: this.#refusals.count };
  }

  /** Refuses such requests before their body is read, as long as more than can wait are waiting. */
  refuseWhenFull(kind: WorkKind): RequestHandler {
    return (_request, response, next) => {
      if (this.#limiter.isFull(kind)) this.refuse(response);
      else next();
    };
  }

  /** Reads and authenticates a body that is not used. Without authentication it is left unread. */
  async receive(request: Request, response: Response): Promise<ReceivedBody | Answered> {
    const room = this.#budget.reserve(request);
    if (room === null) return 'no room';
    const skipOrRead = async (prove: BodyProof | null): Promise<ReceivedBody> =>
      prove === null ? { ok: true, value: Buffer.alloc(0) } : readProvedBody(request, room, prove);
    return this.#read(request, response, skipOrRead).finally(() => room.release());
  }

  /** Reads the body, authenticates and limits its caller, waits for a permit and has the work done. */
  async admit(kind: WorkKind, request: Request, response: Response, work: Work): Promise<void> {
    const room = this.#budget.reserve(request);
    if (room === null) return this.refuseAndClose(response);
    try {
      const body = await this.#read(request, response, (prove) => readJsonBody(request, room, prove));
      await this.#process(kind, response, body, work);
      // Node keeps a request until the end of its body was read, too. One that was refused it drops by itself.
      if (request.complete) request.read();
    } finally {
      room.release();
    }
  }

  async #process(kind: WorkKind, response: Response, body: ReceivedBody | Answered, work: Work): Promise<void> {
    const { limits } = this.#callers;
    if (body === 'answered') return;
    if (body === 'no room') return this.refuseAndClose(response);
    const isAuthenticated = body.ok || body.refusal.code !== 'UNAUTHENTICATED';
    if (limits !== null && isAuthenticated && !(await limits.admit(response))) return;
    // Nobody waits for the response to a request that was cut off, but it belongs on the record.
    if (!body.ok && response.destroyed) return work(body, OUTSIDE);
    const permit = await this.#limiter.acquire(kind, response);
    if (permit === null) return this.refuse(response);
    await work(body, permit).finally(permit.release);
  }

  /** Refuses a request for which there is no capacity. */
  refuse(response: Response): void {
    this.#refusals.refuse(response, overloaded(RETRY_AFTER_SECONDS));
  }

  /** Refuses a request whose body there is no room for, and closes the connection, so that it is not sent. */
  refuseAndClose(response: Response): void {
    response.setHeader('Connection', 'close');
    this.refuse(response);
  }

  /** What `read` reads; that of a caller that fails to authenticate only where that may still be recorded. */
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

  #load(): Omit<IntakeLoad, 'refused'> {
    return { ...this.#limiter.load, heldBytes: this.#budget.reservedBytes };
  }
}
