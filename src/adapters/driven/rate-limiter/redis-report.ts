import type { RateSharing } from '../../../domain/model/rate-limit.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { RedisFault } from '../../../redis/redis-fault.ts';
import { RedisOutage } from '../../../redis/redis-outage.ts';

/** Whether budgets are shared through Redis, for whoever asks and for the log. */
export class RedisReport {
  readonly #outage: RedisOutage;

  /** @param redis its URL, without password */
  constructor(redis: string, clock: Clock, log: ServiceLog) {
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

  /** Redis did not answer, or not as it should. */
  failed(fault: RedisFault): void {
    this.#outage.failed(fault);
  }

  /** Redis answered. */
  answered(): void {
    this.#outage.answered();
  }
}
