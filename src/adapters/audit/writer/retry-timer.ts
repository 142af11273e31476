/** Delays, milliseconds: doubled each time, reset after a minute without trouble. */
const FIRST_MS = 100;
const LAST_MS = 10_000;
const RESET_AFTER_MS = 60_000;

/** Retries with exponential back-off until stopped. Does not keep the process alive. */
export class RetryTimer {
  readonly #attempt: () => void;
  #waitMs = FIRST_MS;
  #failedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(attempt: () => void) {
    this.#attempt = attempt;
  }

  /** Retries later. */
  schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped) return;
    const now = performance.now();
    if (now - this.#failedAt > RESET_AFTER_MS) this.#waitMs = FIRST_MS;
    this.#failedAt = now;
    this.#timer = setTimeout(this.#attempt, this.#waitMs).unref();
    this.#waitMs = Math.min(this.#waitMs * 2, LAST_MS);
  }

  /** Cancels the attempt, and all later ones. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }
}
