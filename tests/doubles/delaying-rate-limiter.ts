import { MemoryRateLimiter } from '../../src/adapters/limits/memory-rate-limiter.ts';
import type { RateGrant, RateRequest } from '../../src/ports/rate-limiter.ts';

/** A RateLimiter in memory that responds when a test lets it, and records requests. */
export class DelayingRateLimiter extends MemoryRateLimiter {
  readonly requested: (readonly RateRequest[])[] = [];
  readonly #waiting: (() => void)[] = [];

  override async take(requests: readonly RateRequest[]): Promise<readonly RateGrant[]> {
    this.requested.push(requests);
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return super.take(requests);
  }

  /** Responds to all pending requests. */
  answer(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
