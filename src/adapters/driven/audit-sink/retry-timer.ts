/** Waits between attempts, milliseconds: doubled after each, and begun anew when all went well for a minute. */
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
const CALM_MS = 60_000;

/** Calls something again and again, ever later, until it is told that all is well. It keeps no process alive. */
export class RetryTimer {
  readonly #attempt: () => void;
  #waitMs = FIRST_RETRY_MS;
  #troubledAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(attempt: () => void) {
    this.#attempt = attempt;
  }

  /** New trouble: when there was none for a minute, the waits begin anew. */
  begin(): void {
    const now = performance.now();
    if (now - this.#troubledAt > CALM_MS) this.#waitMs = FIRST_RETRY_MS;
    this.#troubledAt = now;
    this.later();
  }

  /** The next attempt, after the next wait. */
  later(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    this.#timer = setTimeout(this.#attempt, this.#waitMs).unref();
    this.#waitMs = Math.min(this.#waitMs * 2, LAST_RETRY_MS);
  }

  /** No attempt is needed for now. */
  cancel(): void {
    clearTimeout(this.#timer);
  }

  /** There is no attempt any more. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
