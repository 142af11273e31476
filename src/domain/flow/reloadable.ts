import type { WallClock } from '../../ports/clock.ts';
import type { ServiceLog } from '../../ports/service-log.ts';
import { OperatorError } from '../model/errors.ts';
import type { ReloadTrigger } from '../model/service-state.ts';
import type { CallContext } from '../model/sign-request.ts';
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

/** What a service loads from files, and can load again while it runs. */
export interface ReloadTarget<Result = unknown> {
  /** Whether the last reload failed for a reason that may pass. */
  readonly mayRetry: boolean;
  /**
   * Loads the files. A failure changes nothing and is reported.
   * @param trigger `retry`: an earlier failure
   * @param context of the request; null for none
   */
  reload(trigger: ReloadTrigger | 'retry', context: CallContext | null): Result | Promise<Result>;
  /** Logs what operators have to renew; called at the start and daily. */
  check?(): void;
}

/** Describes a {@link Reloadable}. */
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
  /** @throws OperatorError when a reloaded value must not replace the current one */
  assertReplaces?(next: Value, current: Value, now: number): void;
  reloaded(current: Value): void;
}

/**
 * A value from files. A failed reload is logged, if retried only for another reason, and keeps the
 * last good value.
 */
export class Reloadable<Value> implements ReloadTarget {
  readonly #parts: ReloadableParts<Value>;
  #current: Value;
  #loadedAt: string;
  #lastReload: LastReload | null = null;
  readonly #listeners: ((current: Value, previous: Value) => void)[] = [];

  /** @throws what `load` throws */
  constructor(parts: ReloadableParts<Value>) {
    this.#parts = parts;
    this.#current = parts.load(parts.clock.now());
    this.#loadedAt = this.#time();
  }

  /** The value in force; another object after each reload. */
  get current(): Value {
    return this.#current;
  }

  get mayRetry(): boolean {
    return this.#lastReload?.outcome === 'failed';
  }

  get reloadReport(): ReloadReport {
    return { loadedAt: this.#loadedAt, lastReload: this.#lastReload };
  }

  /** Calls back after each reload, in the order of registration. */
  onReload(listener: (current: Value, previous: Value) => void): void {
    this.#listeners.push(listener);
  }

  /** Never throws. Returns whether a new value is in force. */
  reload(trigger: ReloadTrigger | 'retry'): boolean {
    if (trigger === 'retry' && !this.mayRetry) return false;
    const { load, assertReplaces, reloaded, clock } = this.#parts;
    const previous = this.#current;
    const now = clock.now();
    try {
      const next = load(now);
      assertReplaces?.(next, previous, now);
      this.#current = next;
    } catch (error) {
      this.#fail(error, trigger === 'retry' ? this.#lastReload?.message : undefined);
      return false;
    }
    this.#loadedAt = this.#time();
    this.#lastReload = { at: this.#loadedAt, outcome: 'success' };
    for (const listener of this.#listeners) listener(this.#current, previous);
    reloaded(this.#current);
    return true;
  }

  #fail(error: unknown, logged: string | undefined): void {
    const { unchanged, log } = this.#parts;
    const isExpected = error instanceof OperatorError;
    const message = isExpected ? error.message : 'Unexpected error; see the service log.';
    this.#lastReload = { at: this.#time(), outcome: 'failed', message };
    if (message === logged) return;
    log.error(isExpected ? `${unchanged} ${message}` : unchanged, isExpected ? {} : { cause: error });
  }

  #time(): string {
    return formatTime(this.#parts.clock.now());
  }
}
