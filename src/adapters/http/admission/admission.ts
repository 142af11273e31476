import type { Request, Response } from 'express';
import type { Refusal } from '../../../domain/model/refusal.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { AppDependencies } from '../app.ts';
import { MAX_WAIT_MS } from '../limits.ts';
import { refuseRequest } from '../refusals.ts';
import type { WorkKind } from '../route.ts';
import { BodyBudget, type BodyReservation } from './body-budget.ts';
import { RefusalCounter } from './refusal-counter.ts';
import { type Release, Semaphore } from './semaphore.ts';

const WARNING = 'Overloaded: requests are rejected with OVERLOADED.';

/** Batches get three quarters, so that neither kind blocks the other. */
const BATCH_SHARE = 3 / 4;
/** As many batches can wait as this share of waiting single requests. */
const BATCH_QUEUE_SHARE = 1 / 16;

/** Current load, and refusals since the service started. */
export interface Load {
  /** Signatures in progress. */
  readonly inFlight: number;
  /** Waiting requests. */
  readonly queued: number;
  /** Bytes reserved for request bodies. */
  readonly heldBytes: number;
  readonly refused: number;
}

/**
 * Permits to sign and verify, and memory for bodies, up to capacity, else OVERLOADED. Bodies are
 * read first, into reserved memory, so that slow ones block nobody.
 */
export class Admission {
  readonly #capacity: { readonly [Kind in WorkKind]: Semaphore };
  readonly #budget = new BodyBudget();
  readonly #refusals: RefusalCounter;

  constructor({ maxInFlight, maxQueue }: Pick<AppDependencies, 'maxInFlight' | 'maxQueue'>, log: ServiceLog) {
    const items = Math.floor(maxInFlight * BATCH_SHARE);
    const batches = Math.ceil(maxQueue * BATCH_QUEUE_SHARE);
    this.#capacity = {
      single: new Semaphore({ permits: maxInFlight - items, maxWaiting: maxQueue, maxWaitMs: MAX_WAIT_MS.single }),
      batch: new Semaphore({ permits: items, maxWaiting: batches, maxWaitMs: MAX_WAIT_MS.batch }),
    };
    this.#refusals = new RefusalCounter(log, WARNING, () => this.load);
  }

  get load(): Load {
    const { single, batch } = this.#capacity;
    return {
      inFlight: single.inUse + batch.inUse,
      queued: single.waiting + batch.waiting,
      heldBytes: this.#budget.reservedBytes,
      refused: this.#refusals.count,
    };
  }

  /** Whether the queue is full: such requests are refused before their body is read. */
  isFull(kind: WorkKind): boolean {
    return this.#capacity[kind].isFull;
  }

  /** Memory for a body; null if there is none left. */
  reserve(request: Request): BodyReservation | null {
    return this.#budget.reserve(request);
  }

  /** Permits for this many signatures, at once or in turn; null without capacity. */
  acquire(kind: WorkKind, response: Response, signatures: number): Promise<Release | null> {
    return this.#capacity[kind].acquire(response, signatures);
  }

  /** The refusal of a request for lack of capacity or memory. */
  refuse(response: Response): Refusal {
    return this.#refusals.refuse(response, refuseRequest('Overloaded'));
  }
}
