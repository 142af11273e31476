/** What this process knows of its signing that is on no record: how long it takes, and which attempts could not be recorded. */
export class SigningPerformance {
  #signatures = 0;
  #totalMs = 0;
  #unrecorded = 0;

  /** A signature was released, so many milliseconds after its request came; its record was durable by then. */
  countReleased(durationMs: number): void {
    this.#signatures += 1;
    this.#totalMs += durationMs;
  }

  /** An attempt ended with AUDIT_UNAVAILABLE. */
  countUnrecorded(): void {
    this.#unrecorded += 1;
  }

  /** Mean time from request to durable record over the signatures that this process released, milliseconds; 0 before the first. */
  get avgSigningTimeMs(): number {
    return this.#signatures === 0 ? 0 : this.#totalMs / this.#signatures;
  }

  /** Attempts of this process whose record was not durable in time. */
  get unrecorded(): number {
    return this.#unrecorded;
  }
}
