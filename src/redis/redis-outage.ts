import type { RedisFault } from './redis-fault.ts';

/** Another reason than the one that was told is told no sooner, milliseconds: reasons may take turns. */
const NEXT_REASON_MS = 60_000;

/** What an outage is timed by. */
export interface OutageClock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Milliseconds, never running backwards. */
  monotonic(): number;
}

/** What is told of it. */
export type OutageLog = {
  readonly [level in 'error' | 'warn' | 'info']: (message: string, facts: { readonly redis: string }) => void;
};

/** What an outage means for whoever asks Redis. */
export interface OutageTexts {
  readonly level: 'warn' | 'error';
  /** @param reason `Redis: …`, without a full stop */
  readonly begins: (reason: string) => string;
  readonly ends: string;
}

/** Whether something is to be had from Redis, for whoever asks and for the log: which is told when that ends, when there is another reason (at most once a minute), and when it goes on. */
export class RedisOutage {
  readonly #facts: { readonly redis: string };
  readonly #clock: OutageClock;
  readonly #log: OutageLog;
  readonly #texts: OutageTexts;
  #since: string | null = null;
  #reason: string | null = null;
  #told: { readonly reason: string; readonly at: number } | null = null;

  /** @param redis its URL, without password */
  constructor(redis: string, clock: OutageClock, log: OutageLog, texts: OutageTexts) {
    this.#facts = { redis };
    this.#clock = clock;
    this.#log = log;
    this.#texts = texts;
  }

  /** Since when it lasts, ISO 8601 UTC; null while there is none. */
  get since(): string | null {
    return this.#since;
  }

  /** Why, as `Redis: …`; null while there is none. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Redis did not answer, or not as it should. */
  failed({ message }: RedisFault): void {
    this.#since ??= new Date(this.#clock.now()).toISOString();
    this.#reason = `Redis: ${message}`;
    const at = this.#clock.monotonic();
    if (this.#told !== null && (this.#told.reason === message || at - this.#told.at < NEXT_REASON_MS)) return;
    this.#told = { reason: message, at };
    this.#log[this.#texts.level](this.#texts.begins(this.#reason), this.#facts);
  }

  /** Redis answered. */
  answered(): void {
    if (this.#since === null) return;
    this.#since = null;
    this.#reason = null;
    this.#told = null;
    this.#log.info(this.#texts.ends, this.#facts);
  }
}
