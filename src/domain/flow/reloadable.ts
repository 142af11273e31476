import type { WallClock } from '../../ports/clock.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { OperatorError } from '../model/errors.ts';
import { formatTime } from '../model/text/iso-time.ts';

type LastReload = {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly outcome: 'success' | 'failed';
  readonly message?: string;
};

/** When the current value was loaded, and the last reload; null before the first. */
export interface ReloadReport {
  /** ISO 8601 UTC. */
  readonly loadedAt: string;
  readonly lastReload: LastReload | null;
}

/** Dependencies of a {@link Reloadable}. */
export interface ReloadableParts<Value> {
  /** Prefix of the log line about a failed reload: `The HTTPS certificate was not reloaded.` */
  readonly unchanged: string;
  readonly clock: WallClock;
  readonly log: ServiceLog;
  /**
   * @param now milliseconds since 1970-01-01T00:00:00Z
   * @throws OperatorError that names the setting, the file and what to do
   */
  load(now: number): Value;
  /**
   * Puts a reloaded value in force.
   * @throws OperatorError when it must not replace the current one
   */
  replace?(next: Value, current: Value, now: number): void;
  reloaded(current: Value): void;
}

/**
 * A value that can be reloaded while the service runs. A failed reload is logged and keeps the last
 * good value.
 */
export class Reloadable<Value> {
  readonly #parts: ReloadableParts<Value>;
  #current: Value;
  #loadedAt: string;
  #lastReload: LastReload | null = null;

  /** @throws what `load` throws */
  constructor(parts: ReloadableParts<Value>) {
    this.#parts = parts;
    this.#current = parts.load(parts.clock.now());
    this.#loadedAt = this.#time();
  }

  get current(): Value {
    return this.#current;
  }

  get hasFailed(): boolean {
    return this.#lastReload?.outcome === 'failed';
  }

  get report(): ReloadReport {
    return { loadedAt: this.#loadedAt, lastReload: this.#lastReload };
  }

  /** Loads the value again. Never throws. Returns whether a new one is current. */
  reload(): boolean {
    return this.#reload(null);
  }

  /**
   * Reloads after a failure, without logging the same failure again. Returns whether a new value is
   * current.
   */
  retry(): boolean {
    return this.hasFailed && this.#reload(this.#lastReload?.message ?? null);
  }

  #reload(loggedFailure: string | null): boolean {
    const { load, replace, reloaded, clock } = this.#parts;
    const now = clock.now();
    try {
      const next = load(now);
      replace?.(next, this.#current, now);
      this.#current = next;
    } catch (error) {
      this.#fail(error, loggedFailure);
      return false;
    }
    this.#loadedAt = this.#time();
    this.#lastReload = { at: this.#loadedAt, outcome: 'success' };
    reloaded(this.#current);
    return true;
  }

  #fail(error: unknown, loggedFailure: string | null): void {
    const { unchanged, log } = this.#parts;
    const isExpected = error instanceof OperatorError;
    const message = isExpected ? error.message : 'Unexpected error; see the service log.';
    this.#lastReload = { at: this.#time(), outcome: 'failed', message };
    if (message === loggedFailure) return;
    log.error(isExpected ? `${unchanged} ${message}` : unchanged, isExpected ? {} : { cause: error });
  }

  #time(): string {
    return formatTime(this.#parts.clock.now());
  }
}
