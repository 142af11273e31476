import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Timeout and abort signal of one call. */
export class CallLimits {
  readonly timeoutMs: number;
  readonly #controller = new AbortController();
  readonly #callerSignal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #deadline: number;
  readonly #onAbort = () => this.#controller.abort();

  constructor(timeoutMs: number, callerSignal: AbortSignal | undefined) {
    callerSignal?.throwIfAborted();
    this.timeoutMs = timeoutMs;
    this.#callerSignal = callerSignal;
    this.#deadline = performance.now() + timeoutMs;
    this.#timer = setTimeout(this.#onAbort, timeoutMs);
    // Callers may share one signal among many calls; Node would warn of a leak from eleven on.
    if (callerSignal !== undefined) setMaxListeners(0, callerSignal);
    callerSignal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Aborts when the call is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Throws the reason of the caller's signal if it aborted. */
  throwIfAborted(): void {
    this.#callerSignal?.throwIfAborted();
  }

  /** Whether this many milliseconds are left. */
  hasTimeFor(milliseconds: number): boolean {
    return performance.now() + milliseconds < this.#deadline;
  }

  /** Sleeps; returns early when the call is over. */
  async sleep(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.signal }).catch(() => undefined);
  }

  /** Releases the timer and the listener. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#callerSignal?.removeEventListener('abort', this.#onAbort);
  }
}
