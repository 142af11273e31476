import { print } from '../../tests/harness/print.ts';

/** Measured values and their upper limits. */
export class Limits {
  #allHold = true;

  /** Prints a value beside its limit; NaN exceeds every limit. */
  below(name: string, value: number, max: number, unit: string): void {
    const holds = value < max;
    this.#allHold &&= holds;
    const short = (number: number) => number.toFixed(number >= 100 ? 0 : 2);
    print(`  ${holds ? 'holds        ' : 'DOES NOT HOLD'} ${name}: ${short(value)} ${unit}, limit ${short(max)}`);
  }

  get allHold(): boolean {
    return this.#allHold;
  }
}
