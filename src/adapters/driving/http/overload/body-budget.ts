import type { IncomingMessage } from 'node:http';
import { type Release, Semaphore } from './semaphore.ts';

/** Most bytes of a request body (specification, Limits: 1 MB). */
export const MAX_BODY_BYTES = 1_048_576;

/** Bodies up to this length are small: that of a single request has some 300 bytes. */
const SMALL_BODY_BYTES = 16_384;

/**
 * Bytes that small and large bodies may have together. A hostile body takes thirty times as much
 * while it is worked on.
 */
const BUDGETS = { small: 2 * 1024 * 1024, large: 4 * 1024 * 1024 };

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
    const bytes = Math.min(Number(headers['content-length'] ?? SMALL_BODY_BYTES), MAX_BODY_BYTES);
    const release = (bytes <= SMALL_BODY_BYTES ? this.#small : this.#large).tryAcquire(bytes);
    return release === null ? null : new BodyRoom(bytes, release, this.#large);
  }
}

/** Room for one body. */
export class BodyRoom {
  readonly #large: Semaphore;
  #bytes: number;
  #release: Release;

  constructor(bytes: number, release: Release, large: Semaphore) {
    this.#bytes = bytes;
    this.#release = release;
    this.#large = large;
  }

  /**
   * Whether there is room for so many bytes of this body; a chunked one that turns out to be large
   * gets more.
   */
  holds(bytes: number): boolean {
    if (bytes <= this.#bytes) return true;
    const release = this.#large.tryAcquire(MAX_BODY_BYTES);
    if (release === null) return false;
    this.#release();
    this.#release = release;
    this.#bytes = MAX_BODY_BYTES;
    return true;
  }

  /** Gives the room back, once the body is not needed any more. */
  release(): void {
    this.#release();
  }
}
