import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { RedisFault } from '../../../redis/redis-fault.ts';
import { RedisOutage } from '../../../redis/redis-outage.ts';

/** An answer that comes sooner after a failure ends no outage, milliseconds: where some are answered and some are not, the log is not told of each. */
const SETTLED_MS = 1000;

/** Tells the service log when callers that prove who they are can't be served since Redis can't say whether their requests came before, and when they can again. */
export class ReplayReport {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #outage: RedisOutage;
  #failedAt = Number.NEGATIVE_INFINITY;

  /** @param redis its URL, without password */
  constructor(redis: string, clock: Pick<Clock, 'now' | 'monotonic'>, log: ServiceLog) {
    this.#clock = clock;
    this.#outage = new RedisOutage(redis, clock, log, {
      level: 'error',
      begins: (reason) =>
        `Requests with Signing-Request-Auth get 503 for now (NOT_READY, REPLAY_GUARD_UNAVAILABLE): whether they came before can't be looked up. ${reason}.`,
      ends: 'Whether requests with Signing-Request-Auth came before can be looked up again: they are taken.',
    });
  }

  /** Redis did not answer, or not as it should. */
  failed(fault: RedisFault): void {
    this.#failedAt = this.#clock.monotonic();
    this.#outage.failed(fault);
  }

  /** Redis answered. */
  answered(): void {
    if (this.#clock.monotonic() - this.#failedAt >= SETTLED_MS) this.#outage.answered();
  }
}
