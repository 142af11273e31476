import type { Clock } from '../../ports/clock.ts';
import { formatTime } from '../model/text/iso-time.ts';

/** Default time between lines of a topic, milliseconds. */
export const LOG_INTERVAL_MS = 60_000;

/** Topics at a time with separate lines, which bounds the lines of an interval. */
export const MAX_TOPICS = 16;

/** Stands for the topics beyond {@link MAX_TOPICS}. */
export const OTHER_TOPICS = '(others)';

interface Topic {
  loggedAt: number;
  unlogged: number;
}

/**
 * Throttles log lines about frequent events: the first of a topic is due at once, later ones
 * together once an interval. The caller writes the line.
 */
export class LogThrottle {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #intervalMs: number;
  readonly #topics = new Map<string, Topic>();

  /** @param intervalMs minimum time between lines of a topic, milliseconds */
  constructor(clock: Pick<Clock, 'monotonic'>, intervalMs = LOG_INTERVAL_MS) {
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /**
   * Counts an event.
   * @param topic what happened; each has its lines, those beyond {@link MAX_TOPICS} share theirs
   * @returns as {@link due}
   */
  occurred(topic = ''): number {
    const name = this.#admit(topic);
    const { loggedAt, unlogged } = this.#topics.get(name) ?? { loggedAt: Number.NEGATIVE_INFINITY, unlogged: 0 };
    this.#topics.set(name, { loggedAt, unlogged: unlogged + 1 });
    return this.due(name);
  }

  /** If a line is due, how many events it covers, which then count as logged; 0 otherwise. */
  due(topic = ''): number {
    const known = this.#topics.get(topic);
    return known !== undefined && this.#isOver(known) ? this.flush(topic) : 0;
  }

  /** As {@link due}, without waiting for the interval. */
  flush(topic = ''): number {
    const known = this.#topics.get(topic);
    if (known === undefined || known.unlogged === 0) return 0;
    const count = known.unlogged;
    known.loggedAt = this.#clock.monotonic();
    known.unlogged = 0;
    return count;
  }

  /** Ends the condition: its next event is due at once. Returns whether any of it was logged. */
  end(): boolean {
    const wasLogged = this.#topics.size > 0;
    this.#topics.clear();
    return wasLogged;
  }

  #isOver({ loggedAt }: Topic): boolean {
    return this.#clock.monotonic() - loggedAt >= this.#intervalMs;
  }

  /** Finds the topic of an event; a topic whose interval is over gives way to a new one. */
  #admit(topic: string): string {
    if (this.#topics.has(topic) || this.#topics.size < MAX_TOPICS) return topic;
    const idle = [...this.#topics].find(([name, known]) => name !== OTHER_TOPICS && this.#isOver(known));
    if (idle === undefined) return OTHER_TOPICS;
    this.#topics.delete(idle[0]);
    return topic;
  }
}

/**
 * Availability of something, for status and the service log. A line is due when it fails or the
 * reason changes (at most once a minute: failures and reasons may alternate), and when it recovers
 * from a logged failure. The caller writes the lines.
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
    const wasLogged = this.#loggedReason !== null;
    this.#since = null;
    this.#reason = null;
    this.#loggedReason = null;
    return wasLogged;
  }
}
