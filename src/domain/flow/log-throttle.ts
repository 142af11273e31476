import type { Clock } from '../../ports/clock.ts';
import { formatTime } from '../model/text/iso-time.ts';

const INTERVAL_MS = 60_000;

/**
 * Throttles log lines about frequent events: the first is due at once, later ones together once an
 * interval. The caller writes the line.
 */
export class LogThrottle {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #intervalMs: number;
  #topic = '';
  #loggedAt = Number.NEGATIVE_INFINITY;
  #unlogged = 0;

  /** @param intervalMs minimum time between lines, milliseconds */
  constructor(clock: Pick<Clock, 'monotonic'>, intervalMs = INTERVAL_MS) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /**
   * Counts an event.
   * @param topic what happened; a new topic is due at once
   * @returns as {@link due}
   */
  occurred(topic = this.#topic): number {
    this.#unlogged += 1;
    if (topic === this.#topic) return this.due();
    this.#topic = topic;
    return this.flush();
  }

  /** If a line is due, how many events it covers, which then count as logged; 0 otherwise. */
  due(): number {
    return this.#clock.monotonic() - this.#loggedAt >= this.#intervalMs ? this.flush() : 0;
  }

  /** As {@link due}, without waiting for the interval. */
  flush(): number {
    const count = this.#unlogged;
    if (count > 0) this.#loggedAt = this.#clock.monotonic();
    this.#unlogged = 0;
    return count;
  }

  /** Ends the condition: its next event is due at once. Returns whether any of it was logged. */
  end(): boolean {
    const wasLogged = this.#loggedAt !== Number.NEGATIVE_INFINITY;
    this.#loggedAt = Number.NEGATIVE_INFINITY;
    this.#unlogged = 0;
    return wasLogged;
  }
}

/**
 * Availability of something, for status and the service log. A line is due when it fails, when the
 * reason changes (at most once a minute: reasons may alternate) and when it recovers. The caller
 * writes the lines.
 */
export class Outage {
  readonly #clock: Clock;
  readonly #throttle: LogThrottle;
  #since: string | null = null;
  #reason: string | null = null;
  #loggedReason: string | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#throttle = new LogThrottle(clock);
  }

  /** ISO 8601 UTC; null while it is available. */
  get since(): string | null {
    return this.#since;
  }

  /** Null while it is available or the reason is unknown. */
  get reason(): string | null {
    return this.#reason;
  }

  /** For an unknown reason. */
  begin(): void {
    this.#since ??= formatTime(this.#clock.now());
    this.#reason = null;
  }

  /** Returns whether to log it. */
  failed(reason: string): boolean {
    this.begin();
    this.#reason = reason;
    if (reason === this.#loggedReason || this.#throttle.occurred() === 0) return false;
    this.#loggedReason = reason;
    return true;
  }

  /** Returns whether to log it: whether a reason was logged. */
  end(): boolean {
    this.#since = null;
    this.#reason = null;
    this.#loggedReason = null;
    return this.#throttle.end();
  }
}
