import type { Bucket } from './bucket.ts';

/**
 * Buckets by key, in two halves: those used of late, and those not used since the halves changed places the last time. When that was a window ago, all of the older half are full, and it is dropped
 * as a whole: no timer for each key, and no search for what may go. It is dropped earlier when the newer half has as many keys as it may have, so that memory is bounded.
 */
export class BucketMap {
  readonly #windowMs: number;
  readonly #maxHalf: number;
  #newer = new Map<string, Bucket>();
  #older = new Map<string, Bucket>();
  #changedAt = Number.NEGATIVE_INFINITY;

  /** @param maxKeys that are kept at most, an even number */
  constructor(windowMs: number, maxKeys: number) {
    this.#windowMs = windowMs;
    this.#maxHalf = maxKeys / 2;
  }

  /** Keys that are kept now; one that is in both halves counts twice. */
  get size(): number {
    return this.#newer.size + this.#older.size;
  }

  get(key: string): Bucket | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  /** @param bucket as of now */
  set(key: string, bucket: Bucket): void {
    const isFull = this.#newer.size >= this.#maxHalf && !this.#newer.has(key);
    if (isFull || bucket.at - this.#changedAt >= this.#windowMs) this.#changeHalves(bucket.at);
    this.#newer.set(key, bucket);
  }

  #changeHalves(now: number): void {
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#changedAt = now;
  }
}
