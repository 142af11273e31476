import type { EventEmitter } from 'node:events';

/** Waits for a permit until it closes: a response. */
type Requester = Pick<EventEmitter, 'once' | 'off'> & { readonly destroyed?: boolean };

/** Returns a permit; idempotent. */
export type Release = () => void;

/** Capacity and queue of a {@link Semaphore}. */
interface SemaphoreLimits {
  /** Permits in total. */
  readonly permits: number;
  /** Maximum queue length; default 0. */
  readonly maxWaiting?: number;
  /** Maximum wait, milliseconds; default 0. */
  readonly maxWaitMs?: number;
}

interface Waiter {
  readonly weight: number;
  end(release: Release | null): void;
}

/**
 * A weighted semaphore with a bounded FIFO queue and wait. A weight above the total is granted
 * alone.
 */
export class Semaphore {
  readonly #permits: number;
  readonly #maxWaiting: number;
  readonly #maxWaitMs: number;
  readonly #queue = new Set<Waiter>();
  #inUse = 0;

  constructor({ permits, maxWaiting = 0, maxWaitMs = 0 }: SemaphoreLimits) {
    this.#permits = permits;
    this.#maxWaiting = maxWaiting;
    this.#maxWaitMs = maxWaitMs;
  }

  /** Permits in use. */
  get inUse(): number {
    return this.#inUse;
  }

  /** Queue length. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Whether the queue is full. */
  get isFull(): boolean {
    return this.#queue.size >= this.#maxWaiting;
  }

  /** Permits at once; null if too few are free or others wait. */
  tryAcquire(weight = 1): Release | null {
    return this.#queue.size === 0 && this.#fits(weight) ? this.#take(weight) : null;
  }

  /**
   * Permits, at once or in turn; null if the queue is full, the wait expires or the requester
   * leaves.
   */
  acquire(requester: Requester, weight = 1): Promise<Release | null> {
    if (requester.destroyed === true) return Promise.resolve(null);
    const release = this.tryAcquire(weight);
    if (release !== null || this.isFull) return Promise.resolve(release);
    return new Promise((resolve) => {
      const leave = () => {
        waiter.end(null);
        this.#serve();
      };
      const timer = setTimeout(leave, this.#maxWaitMs).unref();
      const waiter: Waiter = {
        weight,
        end: (granted) => {
          clearTimeout(timer);
          requester.off('close', leave);
          this.#queue.delete(waiter);
          resolve(granted);
        },
      };
      requester.once('close', leave);
      this.#queue.add(waiter);
    });
  }

  #fits(weight: number): boolean {
    return this.#inUse === 0 || this.#inUse + weight <= this.#permits;
  }

  #take(weight: number): Release {
    this.#inUse += weight;
    let isOut = true;
    return () => {
      if (!isOut) return;
      isOut = false;
      this.#inUse -= weight;
      this.#serve();
    };
  }

  #serve(): void {
    for (const waiter of this.#queue) {
      if (!this.#fits(waiter.weight)) return;
      waiter.end(this.#take(waiter.weight));
    }
  }
}
