import { print } from '../stage/print.ts';

interface Limit {
  readonly name: string;
  readonly value: number;
  readonly most: number;
  readonly unit: string;
}

/** Measured values and what they have to stay below. */
export class Limits {
  readonly #limits: Limit[] = [];

  below(name: string, value: number, most: number, unit: string): void {
    this.#limits.push({ name, value, most, unit });
  }

  get allHold(): boolean {
    return this.#limits.every(holds);
  }

  /** One line for each, in the order in which they were given. */
  print(): void {
    for (const limit of this.#limits) {
      const { name, value, most, unit } = limit;
      const said = holds(limit) ? 'holds' : 'DOES NOT HOLD';
      print(`  ${said.padEnd(14)} ${name}: ${short(value)} ${unit}, limit ${short(most)}`.replace(' ,', ','));
    }
  }
}

/** What could not be measured does not hold. */
function holds({ value, most }: Limit): boolean {
  return value < most;
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
