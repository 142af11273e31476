import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES, SMALL_BODY_BYTES } from '../limits.ts';
import { type Release, Semaphore } from './semaphore.ts';

/** Total bytes by kind. Parsing a hostile body takes thirty times its size. */
const BUDGETS = { small: 2 * 1024 * 1024, large: 4 * 1024 * 1024 };

/** Memory for one body. */
export interface BodyReservation {
  /** Reserves memory to read so many bytes; false: there is none. Small bodies need none yet. */
  tryGrow(bytes: number): boolean;
  /** Reserves memory to process a complete body of so many bytes; false: there is none. */
  tryKeep(bytes: number): boolean;
  /** Releases the memory. */
  release(): void;
}

/**
 * Limits the memory of request bodies. Large ones reserve it before they are read, small ones on
 * arrival, so that slow callers block nobody.
 */
export class BodyBudget {
  readonly #small: Semaphore;
  readonly #large: Semaphore;

  /** @param budgets total bytes of small and of large bodies */
  constructor({ small, large } = BUDGETS) {
    this.#small = new Semaphore({ permits: small });
    this.#large = new Semaphore({ permits: large });
  }

  /** Bytes in use. */
  get reservedBytes(): number {
    return this.#small.inUse + this.#large.inUse;
  }

  /** Memory for the announced body; null if there is none left. */
  reserve({ headers }: Pick<IncomingMessage, 'headers'>): BodyReservation | null {
    let release: Release | null = null;
    const acquire = (from: Semaphore, bytes: number) => {
      release = from.tryAcquire(bytes);
      return release !== null;
    };
    // The size of a chunked body shows only as it arrives.
    const announced = Math.min(Number(headers['content-length'] ?? 0), MAX_BODY_BYTES);
    if (announced > SMALL_BODY_BYTES && !acquire(this.#large, announced)) return null;
    return {
      tryGrow: (bytes) => bytes <= SMALL_BODY_BYTES || release !== null || acquire(this.#large, MAX_BODY_BYTES),
      tryKeep: (bytes) => release !== null || acquire(this.#small, bytes),
      release: () => release?.(),
    };
  }
}
