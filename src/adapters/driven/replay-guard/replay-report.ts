import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { RedisFault } from '../../../redis/redis-fault.ts';
import { RedisOutage } from '../../../redis/redis-outage.ts';

/** An answer that comes sooner after a failure ends no outage, milliseconds: where some are answered and some are not, the log is not told of each. */
const SETTLED_MS = 1000;

/** Tells the service log when callers that prove who they are can't be served since Redis can't say whether their requests came before, when they can again, and when it has forgotten. */
export class ReplayReport {
  readonly #clock: Clock;
  readonly #log: ServiceLog;
  readonly #redis: string;
  readonly #outage: RedisOutage;
  #failedAt = Number.NEGATIVE_INFINITY;

  /** @param redis its URL, without password */
  constructor(redis: string, clock: Clock, log: ServiceLog) {
    this.#clock = clock;
    this.#log = log;
    this.#redis = redis;
    this.#outage = new RedisOutage(redis, clock, log, {
      level: 'error',
      begins: (reason) =>
        `Requests with Signing-Request-Auth get 503 for now (NOT_READY, REPLAY_GUARD_UNAVAILABLE): whether they came before can't be looked up. ${reason}.`,
      ends: 'Whether requests with Signing-Request-Auth came before can be looked up again.',
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

  /**
   * Redis was found empty. @param until what was made until then is refused, milliseconds since
   * 1970-01-01T00:00:00Z
   */
  emptied(until: number): void {
    this.#log.warn(
      `Redis does not know which requests with Signing-Request-Auth came before: it is new, was emptied, or started again without its data. Those made until ${new Date(until).toISOString()} are refused.`,
      { redis: this.#redis },
    );
  }
}
