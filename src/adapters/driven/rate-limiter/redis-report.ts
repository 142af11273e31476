import type { RateSharing } from '../../../domain/model/rate-limit.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { RedisFault } from '../../../redis/redis-fault.ts';
import { RedisOutage } from '../../../redis/redis-outage.ts';

/** How long after a command was refused it is not tried again, milliseconds. Where Redis can't be reached at all, the link sees to it. */
const AFTER_REFUSAL_MS = 1000;

/** Whether budgets are shared through Redis, for whoever asks and for the log. */
export class RedisReport {
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #outage: RedisOutage;
  /** By the monotonic clock. */
  #dueAt = Number.NEGATIVE_INFINITY;

  /** @param redis its URL, without password */
  constructor(redis: string, clock: Pick<Clock, 'now' | 'monotonic'>, log: ServiceLog) {
    this.#clock = clock;
    this.#outage = new RedisOutage(redis, clock, log, {
      level: 'warn',
      begins: (reason) =>
        `Rate limits are not shared for now. ${reason}. Meanwhile each replica allows the whole of them by itself.`,
      ends: 'Rate limits are shared again.',
    });
  }

  get isApart(): boolean {
    return this.#outage.since !== null;
  }

  get sharing(): RateSharing {
    const { since, reason } = this.#outage;
    return { mode: 'shared', state: since === null ? 'current' : 'apart', since, reason };
  }

  /** Whether Redis may be tried again. */
  get isDue(): boolean {
    return this.#clock.monotonic() >= this.#dueAt;
  }

  /** Redis did not answer, or not as it should. */
  failed(fault: RedisFault): void {
    if (fault.isOfCommand) this.#dueAt = this.#clock.monotonic() + AFTER_REFUSAL_MS;
    this.#outage.failed(fault);
  }

  /** Redis answered. */
  answered(): void {
    this.#outage.answered();
  }
}
