/** What this process knows of its signing that is on no record: how long it takes, and which attempts could not be recorded. */
export class SigningPerformance {
  #signatures = 0;
  #totalMs = 0;
  #unrecorded = 0;

  /**
   * A signature was released that took so many milliseconds, from its request until its record was
   * durable; of a batch its share.
   */
  countReleased(durationMs: number): void {
    this.#signatures += 1;
    this.#totalMs += durationMs;
  }

  /** An attempt ended with AUDIT_UNAVAILABLE. */
  countUnrecorded(): void {
    this.#unrecorded += 1;
  }

  /**
   * Mean time from request to durable record over the signatures that this process released,
   * milliseconds; 0 before the first. A batch counts as its time divided by its items for each of
   * them.
   */
  get avgSigningTimeMs(): number {
    return this.#signatures === 0 ? 0 : this.#totalMs / this.#signatures;
  }

  /** Attempts of this process whose record was not durable in time. */
  get unrecorded(): number {
    return this.#unrecorded;
  }
}
