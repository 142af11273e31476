import { print } from '../run/print.ts';

interface Limit {
  readonly name: string;
  readonly value: number;
  readonly max: number;
  readonly unit: string;
}

/** Measured values and their upper limits. */
export class Limits {
  readonly #limits: Limit[] = [];

  below(name: string, value: number, max: number, unit: string): void {
    this.#limits.push({ name, value, max, unit });
  }

  get allHold(): boolean {
    return this.#limits.every(holds);
  }

  /** One line each, in order. */
  print(): void {
    for (const limit of this.#limits) {
      const { name, value, max, unit } = limit;
      const verdict = holds(limit) ? 'holds' : 'DOES NOT HOLD';
      print(`  ${verdict.padEnd(14)} ${name}: ${short(value)} ${unit}, limit ${short(max)}`.replace(' ,', ','));
    }
  }
}

/** NaN exceeds every limit. */
function holds({ value, max }: Limit): boolean {
  return value < max;
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
