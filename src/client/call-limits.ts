import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long one call may go on: until its time is over, or its caller no longer wants it. */
export class CallLimits {
  readonly timeoutMs: number;
  readonly #controller = new AbortController();
  readonly #callerSignal: AbortSignal | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #endsAt: number;
  readonly #onAbort = () => this.#controller.abort();

  constructor(timeoutMs: number, callerSignal: AbortSignal | undefined) {
    callerSignal?.throwIfAborted();
    this.timeoutMs = timeoutMs;
    this.#callerSignal = callerSignal;
    this.#endsAt = performance.now() + timeoutMs;
    this.#timer = setTimeout(this.#onAbort, timeoutMs);
    // One signal may be that of many calls at once, and Node would warn of a leak from eleven on; each call lets go of it at its end.
    if (callerSignal !== undefined) setMaxListeners(0, callerSignal);
    callerSignal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Ends what is under way when the call is over. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Throws the reason of the caller's signal where that ended the call. */
  throwIfUnwanted(): void {
    this.#callerSignal?.throwIfAborted();
  }

  /** Whether so many milliseconds are left. */
  allows(milliseconds: number): boolean {
    return performance.now() + milliseconds < this.#endsAt;
  }

  /** Waits; ends early, without an error, when the call is over. */
  async wait(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: this.signal }).catch(() => undefined);
  }

  /** To be called when the call is over, so that nothing of it is left behind. */
  end(): void {
    clearTimeout(this.#timer);
    this.#callerSignal?.removeEventListener('abort', this.#onAbort);
  }
}
