import type { EventEmitter } from 'node:events';

/** Who asks for a permit, until its connection closes: a response. */
export type Requester = Pick<EventEmitter, 'once' | 'off'> & { readonly destroyed?: boolean };

/** Gives a permit back; may be called twice. */
export type Release = () => void;

/** How much a semaphore gives out, and how long its queue is. */
export interface SemaphoreLimits {
  /** Permits that are out at once. */
  readonly permits: number;
  /** Requesters that wait at once; default 0. */
  readonly maxWaiting?: number;
  /** How long each of them waits, milliseconds; default 0. */
  readonly maxWaitMs?: number;
}

interface Waiter {
  readonly weight: number;
  end(release: Release | null): void;
}

/**
 * A counting semaphore with weights, a bounded queue and a bounded wait: first come, first served.
 * More than all permits are given out only alone.
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

  /** Permits that are out. */
  get inUse(): number {
    return this.#inUse;
  }

  /** Requesters that wait. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Whether nobody else can wait. */
  get isFull(): boolean {
    return this.#queue.size >= this.#maxWaiting;
  }

  /** Permits at once; null where there are not enough, or others wait for them. */
  tryAcquire(weight = 1): Release | null {
    return this.#queue.size === 0 && this.#fits(weight) ? this.#take(weight) : null;
  }

  /**
   * Permits, now or in turn; null when the queue is full, the wait takes too long or the requester
   * goes away.
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
