import type { IncomingMessage } from 'node:http';
import { Semaphore } from './semaphore.ts';

/** Most bytes of a request body (specification, Limits: 1 MB). */
export const MAX_BODY_BYTES = 1_048_576;

/** Bodies up to this length are small: that of a single request has some 300 bytes. */
const SMALL_BODY_BYTES = 16_384;

/**
 * Bytes that small and large bodies may have together. A hostile body takes thirty times as much
 * while it is worked on.
 */
const BUDGETS = { small: 2 * 1024 * 1024, large: 4 * 1024 * 1024 };

/** Room for one body. */
export interface BodyRoom {
  /** Whether there is room for so many bytes; a chunked body that turns out to be large gets more. */
  holds(bytes: number): boolean;
  /** Gives the room back, once the body is not needed any more. */
  release(): void;
}

/**
 * Limits the memory of request bodies: room for each is reserved before it is read. Large ones do
 * not keep small ones out.
 */
export class BodyBudget {
  readonly #small: Semaphore;
  readonly #large: Semaphore;

  /** @param budgets bytes that small and large bodies may have together */
  constructor({ small, large } = BUDGETS) {
    this.#small = new Semaphore({ permits: small });
    this.#large = new Semaphore({ permits: large });
  }

  /** Bytes that are reserved now. */
  get reservedBytes(): number {
    return this.#small.inUse + this.#large.inUse;
  }

  /** Room for the body that a request announces; null where there is none. */
  reserve({ headers }: Pick<IncomingMessage, 'headers'>): BodyRoom | null {
    // How long a chunked body is shows as it comes.
    let bytes = Math.min(Number(headers['content-length'] ?? SMALL_BODY_BYTES), MAX_BODY_BYTES);
    let release = (bytes <= SMALL_BODY_BYTES ? this.#small : this.#large).tryAcquire(bytes);
    if (release === null) return null;
    return {
      holds: (needed) => {
        const more = needed <= bytes ? null : this.#large.tryAcquire(MAX_BODY_BYTES);
        if (more === null) return needed <= bytes;
        release?.();
        release = more;
        bytes = MAX_BODY_BYTES;
        return true;
      },
      release: () => release?.(),
    };
  }
}
