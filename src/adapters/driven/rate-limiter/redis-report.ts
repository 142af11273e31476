import type { RateSharing } from '../../../domain/model/rate-limit.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { ServiceLog } from '../../../ports/service-log.ts';

/** Another reason than the one that was told is told no sooner, milliseconds: reasons may take turns. */
const NEXT_REASON_MS = 60_000;

/** Whether budgets are shared through Redis, for whoever asks and for the log: which is told when that ends, when there is another reason (at most once a minute), and when it goes on. */
export class RedisReport {
  readonly #redis: string;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #log: ServiceLog;
  #since: string | null = null;
  #reason: string | null = null;
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

  /** @param reason as a RedisFault has it */
  failed(reason: string): void {
    this.#since ??= new Date(this.#clock.now()).toISOString();
    this.#reason = `Redis: ${reason}`;
    const at = this.#clock.monotonic();
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
