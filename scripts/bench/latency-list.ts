import type { Quantiles } from '../measured-latencies.ts';

const FIRST_CAPACITY = 2 ** 17;

/** Milliseconds of very many calls, in one block of memory that is nothing to the collector of garbage. */
export class LatencyList {
  #values = new Float64Array(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(milliseconds: number): void {
    if (this.#length === this.#values.length) this.#grow();
    this.#values[this.#length] = milliseconds;
    this.#length += 1;
  }

  clear(): void {
    this.#length = 0;
  }

  /** The least values that these parts of the latencies do not exceed; NaN where there are none. */
  quantiles(): Quantiles {
    const sorted = this.#values.slice(0, this.#length).sort();
    const at = (part: number) => sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
    return { p50: at(0.5), p99: at(0.99), max: at(1) };
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#values.length);
    larger.set(this.#values);
    this.#values = larger;
  }
}
