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

/** Room for one body. */
export interface BodyRoom {
  /** Whether so many bytes may be read; a chunked body that turns out large gets more room. */
  mayRead(bytes: number): boolean;
  /** Whether the whole body, of so many bytes, may be worked on. */
  mayKeep(bytes: number): boolean;
  /** Gives the room back, once the body is not needed any more. */
  release(): void;
}

/**
 * Limits the memory of request bodies. Room for a large one is reserved before it is read. A small
 * one takes room once it has arrived, so that slow callers keep nobody out: what arrives is limited
 * by the number of connections.
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
    let release: Release | null = null;
    const acquire = (from: Semaphore, bytes: number) => {
      release = from.tryAcquire(bytes);
      return release !== null;
    };
    // How long a chunked body is shows as it comes.
    const announced = Math.min(Number(headers['content-length'] ?? 0), MAX_BODY_BYTES);
    if (announced > SMALL_BODY_BYTES && !acquire(this.#large, announced)) return null;
    return {
      mayRead: (bytes) => bytes <= SMALL_BODY_BYTES || release !== null || acquire(this.#large, MAX_BODY_BYTES),
      mayKeep: (bytes) => release !== null || acquire(this.#small, bytes),
      release: () => release?.(),
    };
  }
}
