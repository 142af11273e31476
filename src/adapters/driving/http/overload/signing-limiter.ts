import { type Release, type Requester, Semaphore } from './semaphore.ts';

/** What is asked for: one signature or verification, or a batch of signatures. Each kind has a queue of its own. */
export type WorkKind = 'single' | 'batch';

/** How much is taken on. */
export interface SigningLimits {
  /** Signatures in the making at once, a quarter of them for single requests. */
  readonly maxInFlight: number;
  /** Single requests that wait; of batches a sixteenth of that. */
  readonly maxQueue: number;
  /** How long a single request waits, milliseconds; a batch, each of which takes longer, five times that. */
  readonly maxWaitMs?: number;
}

/** How much there is to do. */
export interface WorkLoad {
  /** Signatures in the making. */
  readonly inFlight: number;
  /** Requests that wait for their turn. */
  readonly queued: number;
}

/** The right to work; given back by `release`, however the work ended, which may be called twice. */
export interface Permit {
  /** Waits until there is room for the items of a batch; false when there is none in time. */
  reserve(items: number, requester: Requester): Promise<boolean>;
  readonly release: Release;
}

const MAX_WAIT_MS = 1000;
const WAIT_OF_BATCHES = 5;
const QUEUE_SHARE_OF_BATCHES = 1 / 16;
const SHARE_OF_BATCHES = 3 / 4;

/**
 * Limits the signatures that are in the making and the requests that wait, so that overload ends in quick refusals and not in growing
 * memory. How many signatures a batch asks for is known when its body was parsed, which takes time as well: one batch at a time is
 * parsed, and the next when there is room for its items. Neither kind of request keeps the other out. A batch with more items than
 * there is room for is let in when no other is there.
 */
export class SigningLimiter {
  readonly #singles: Semaphore;
  readonly #parsing: Semaphore;
  readonly #items: Semaphore;

  constructor({ maxInFlight, maxQueue, maxWaitMs = MAX_WAIT_MS }: SigningLimits) {
    const maxItems = Math.floor(maxInFlight * SHARE_OF_BATCHES);
    const batches = {
      maxWaiting: Math.ceil(maxQueue * QUEUE_SHARE_OF_BATCHES),
      maxWaitMs: maxWaitMs * WAIT_OF_BATCHES,
    };
    this.#singles = new Semaphore({ permits: maxInFlight - maxItems, maxWaiting: maxQueue, maxWaitMs });
    this.#parsing = new Semaphore({ permits: 1, ...batches });
    this.#items = new Semaphore({ permits: maxItems, ...batches, maxWaiting: 1 });
  }

  get load(): WorkLoad {
    return {
      inFlight: this.#singles.inUse + this.#items.inUse,
      queued: this.#singles.waiting + this.#parsing.waiting + this.#items.waiting,
    };
  }

  /** Whether one more would have to be refused at once. */
  isFull(kind: WorkKind): boolean {
    return kind === 'single' ? this.#singles.isFull : this.#parsing.isFull;
  }

  /** Lets work in, now or in turn; null when the queue is full, the wait takes too long or the requester goes away. */
  async acquire(kind: WorkKind, requester: Requester): Promise<Permit | null> {
    if (kind === 'batch') return this.#acquireBatch(requester);
    const release = await this.#singles.acquire(requester);
    return release === null ? null : { reserve: async () => true, release };
  }

  async #acquireBatch(requester: Requester): Promise<Permit | null> {
    let release = await this.#parsing.acquire(requester);
    if (release === null) return null;
    return {
      reserve: async (items, reserver) => {
        const reserved = await this.#items.acquire(reserver, items);
        if (reserved === null) return false;
        release?.();
        release = reserved;
        return true;
      },
      release: () => release?.(),
    };
  }
}
