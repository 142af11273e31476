import type { RateSharing } from '../../../domain/model/rate-limit.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';
import type { RedisFault } from '../../../redis/redis-fault.ts';

/** Another reason than the one that was told is told no sooner, milliseconds: reasons may take turns. */
const NEXT_REASON_MS = 60_000;

/** How long after a command was refused it is not tried again, milliseconds. Where Redis can't be reached at all, the link sees to it. */
const AFTER_REFUSAL_MS = 1000;

/** Whether budgets are shared through Redis, for whoever asks and for the log: which is told when that ends, when there is another reason (at most once a minute), and when it goes on. */
export class RedisReport {
  readonly #redis: string;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #log: ServiceLog;
  #since: string | null = null;
  #reason: string | null = null;
  /** By the monotonic clock. */
  #dueAt = Number.NEGATIVE_INFINITY;
  #told: { readonly reason: string; readonly at: number } | null = null;

  /** @param redis its URL, without password */
  constructor(redis: string, clock: Pick<Clock, 'now' | 'monotonic'>, log: ServiceLog) {
    this.#redis = redis;
    this.#clock = clock;
    this.#log = log;
  }

  get isApart(): boolean {
    return this.#since !== null;
  }

  get sharing(): RateSharing {
    const since = this.#since;
    return { mode: 'shared', state: since === null ? 'current' : 'apart', since, reason: this.#reason };
  }

  /** Whether Redis may be tried again. */
  get isDue(): boolean {
    return this.#clock.monotonic() >= this.#dueAt;
  }

  /** Redis did not answer, or not as it should. */
  failed({ message: reason, isOfCommand }: RedisFault): void {
    this.#since ??= new Date(this.#clock.now()).toISOString();
    this.#reason = `Redis: ${reason}`;
    const at = this.#clock.monotonic();
    if (isOfCommand) this.#dueAt = at + AFTER_REFUSAL_MS;
    if (this.#told !== null && (this.#told.reason === reason || at - this.#told.at < NEXT_REASON_MS)) return;
    this.#told = { reason, at };
    this.#log.warn(
      `Rate limits are not shared for now. ${this.#reason}. Meanwhile each replica allows the whole of them by itself.`,
      { redis: this.#redis },
    );
  }

  /** Redis answered. */
  answered(): void {
    if (this.#since === null) return;
    this.#since = null;
    this.#reason = null;
    this.#told = null;
    this.#log.info('Rate limits are shared again.', { redis: this.#redis });
  }
}
