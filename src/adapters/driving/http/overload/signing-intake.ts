import type { Request, RequestHandler, Response } from 'express';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import type { Answered, BodyProof, RequestAuthentication } from '../authentication/request-authentication.ts';
import type { CallerLimits } from '../callers/caller-limits.ts';
import type { FailedProofs } from '../callers/failed-proofs.ts';
import type { Received } from '../http-refusal.ts';
import { type ReceivedBody, readBody, readProvedBody } from '../request-body.ts';
import { ConnectionTurns } from './connection-turns.ts';
import { HeldBytes } from './held-bytes.ts';
import { OverloadRefusals } from './overload-refusals.ts';
import { type Admission, type GateLimits, WorkGate, type WorkKind, type WorkLoad } from './work-gate.ts';

/** Most bytes of request bodies that are held at once. Parsed, a body can take some ten times its length. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/** How much there is to do, and how many requests were refused for that since the service started. */
export interface IntakeLoad extends WorkLoad {
  /** Bytes of request bodies that are held. */
  readonly heldBytes: number;
  readonly refused: number;
}

/** Of a request that asks for no signature and takes no place. */
const OUTSIDE: Admission = { weigh: async () => true, leave: () => undefined };

/** What callers are asked with, and how often they may fail to answer. */
export interface AskedCallers {
  readonly authentication: Pick<RequestAuthentication, 'begin'>;
  readonly proofs: FailedProofs;
}

/** How callers are known, and what each may ask for. */
export interface CallerParts {
  /** Null where callers are not asked who they are. */
  readonly asked: AskedCallers | null;
  /** Null where nothing bounds what a caller asks for. */
  readonly limits: CallerLimits | null;
}

const NO_CALLERS: CallerParts = { asked: null, limits: null };

/** What is done with a request that was let in. */
export type Work = (body: Received<Buffer>, admission: Admission) => Promise<void>;

/**
 * Lets requests to sign and to verify in, as many as can be worked on in time, and answers the others with OVERLOADED. A body that is still on its way takes no place from others: it is
 * read first, and held as bytes while it waits.
 */
export class SigningIntake {
  readonly #gate: WorkGate;
  readonly #bodies: HeldBytes;
  readonly #turns = new ConnectionTurns();
  readonly #refusals: OverloadRefusals;
  readonly #callers: CallerParts;

  /** @param maxHeldBytes of bodies that are held at once */
  constructor(limits: GateLimits, log: ServiceLog, callers: CallerParts = NO_CALLERS, maxHeldBytes = MAX_HELD_BYTES) {
    this.#gate = new WorkGate(limits);
    this.#callers = callers;
    this.#bodies = new HeldBytes(maxHeldBytes);
    this.#refusals = new OverloadRefusals(log, () => this.#load());
  }

  get load(): IntakeLoad {
    return { ...this.#load(), refused: this.#refusals.count };
  }

  /** Refuses such requests before their body is read, as long as more than can wait are waiting. */
  refuseWhenFull(kind: WorkKind): RequestHandler {
    return (_request, response, next) => {
      const refuseOrGoOn = () => {
        if (this.#gate.isFull(kind)) this.#refusals.refuse(response);
        else next();
      };
      this.#turns.take(response, () => {
        if (!this.#refusals.park(response, refuseOrGoOn)) refuseOrGoOn();
      });
    };
  }

  /** Reads a body that nobody wants, and says whether the request is its caller's. Of a caller who does not say who he is it is left unread. */
  receive(request: Request, response: Response): Promise<ReceivedBody | Answered> {
    return this.#proved(request, response, async (proof) => {
      if (proof === null) return { ok: true, value: Buffer.alloc(0) };
      return readProvedBody(request, this.#bodies.open(response), proof);
    });
  }

  /** Reads the body, asks who the caller is and whether it may ask for this, waits until there is room, and has the work done. */
  async admit(kind: WorkKind, request: Request, response: Response, work: Work): Promise<void> {
    const { limits } = this.#callers;
    const body = await this.#proved(request, response, (proof) =>
      readBody(request, this.#bodies.open(response), proof),
    );
    if (body === 'answered') return;
    if (body === 'too much is held') return this.#refusals.refuse(response);
    if (limits !== null && !isUnproved(body) && !(await limits.admit(response))) return;
    // Nobody waits for the answer of a request that was cut off, but it belongs on the record.
    if (!body.ok && response.destroyed) return work(body, OUTSIDE);
    const admission = this.#gate.enterAtOnce(kind, response) ?? (await this.#gate.enter(kind, response));
    if (admission === null) return this.#refusals.refuse(response);
    try {
      await work(body, admission);
    } finally {
      admission.leave();
      // Node keeps a request until the end of its body was read, too. One that was refused it drops by itself.
      if (body.ok) request.read();
    }
  }

  /** Answers a request that finds no room: one that was let in and finds none after all, or one to another endpoint. */
  refuse(response: Response): void {
    this.#refusals.refuse(response);
  }

  /** What `read` reads; that of a caller who fails to show who it is only where that may still be recorded. */
  #proved(
    request: Request,
    response: Response,
    read: (proof: BodyProof | null) => Promise<ReceivedBody>,
  ): Promise<ReceivedBody | Answered> {
    const { asked } = this.#callers;
    return asked === null ? read(null) : this.#provedBy(asked, request, response, read);
  }

  async #provedBy(
    { authentication, proofs }: AskedCallers,
    request: Request,
    response: Response,
    read: (proof: BodyProof | null) => Promise<ReceivedBody>,
  ): Promise<ReceivedBody | Answered> {
    const proof = await authentication.begin(request, response, () => proofs.mayVerify(response));
    if (proof === 'answered') return 'answered';
    const mayFail = async (refused: ReceivedBody) => ((await proofs.mayFail(response)) ? refused : 'answered');
    if (!proof.ok) return mayFail(proof);
    const { value: prove } = proof;
    if (prove === null) return read(null);
    let isProved = false;
    const body = await read(async (sent) => {
      const refusal = await prove(sent);
      isProved = refusal?.code !== 'UNAUTHENTICATED';
      return refusal;
    });
    // A body that did not come whole proves nothing: a token that somebody saw is enough to send one.
    return body === 'too much is held' || body.ok || isProved ? body : mayFail(body);
  }

  #load(): Omit<IntakeLoad, 'refused'> {
    return { ...this.#gate.load, heldBytes: this.#bodies.count };
  }
}

function isUnproved(body: ReceivedBody): boolean {
  return body !== 'too much is held' && !body.ok && body.refusal.code === 'UNAUTHENTICATED';
}
