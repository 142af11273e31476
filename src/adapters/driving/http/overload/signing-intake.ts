import type { Request, RequestHandler, Response } from 'express';
import type { ServiceLog } from '../../../../ports/service-log.ts';
import type { Received } from '../http-refusal.ts';
import { readBody } from '../request-body.ts';
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

/** What is done with a request that was let in. */
export type Work = (body: Received<Buffer>, admission: Admission) => Promise<void>;

/**
 * Lets requests to sign and to verify in, as many as can be worked on in time, and answers the others with OVERLOADED. A body that is still on its way takes no place from others: it is
 * read first, and held as bytes while it waits.
 */
export class SigningIntake {
  readonly #gate: WorkGate;
  readonly #bodies: HeldBytes;
  readonly #refusals: OverloadRefusals;

  /** @param maxHeldBytes of bodies that are held at once */
  constructor(limits: GateLimits, log: ServiceLog, maxHeldBytes = MAX_HELD_BYTES) {
    this.#gate = new WorkGate(limits);
    this.#bodies = new HeldBytes(maxHeldBytes);
    this.#refusals = new OverloadRefusals(log, () => this.#load());
  }

  get load(): IntakeLoad {
    return { ...this.#load(), refused: this.#refusals.count };
  }

  /** Refuses such requests before their body is read, as long as more than can wait are waiting. */
  refuseWhenFull(kind: WorkKind): RequestHandler {
    return (_request, response, next) => {
      if (this.#gate.isFull(kind)) this.#refusals.refuse(response);
      else next();
    };
  }

  /** Reads the body, waits until there is room, and has the work done. */
  async admit(kind: WorkKind, request: Request, response: Response, work: Work): Promise<void> {
    const held = this.#bodies.open(response);
    const body = await readBody(request, held);
    if (body === 'too much is held') return this.#refusals.refuse(response);
    // Nobody waits for the answer of a request that was cut off, but it belongs on the record.
    if (!body.ok && response.destroyed) return work(body, OUTSIDE);
    const admission = await this.#gate.enter(kind, response);
    if (admission === null) return this.#refusals.refuse(response);
    try {
      await work(body, admission);
    } finally {
      admission.leave();
    }
  }

  /** Answers a request that finds no room: one that was let in and finds none after all, or one to another endpoint. */
  refuse(response: Response): void {
    this.#refusals.refuse(response);
  }

  #load(): Omit<IntakeLoad, 'refused'> {
    return { ...this.#gate.load, heldBytes: this.#bodies.count };
  }
}
