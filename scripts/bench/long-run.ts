import { median } from './measured-rounds.ts';

const PARTS = 10;

/** Rates of the first and the last tenth of a long run, and what the one is of the other. */
export interface Steadiness {
  readonly first: number;
  readonly last: number;
  readonly lastPerFirst: number;
}

/** Compares the medians of the first and the last tenth of the rates of a long run, given in the order of time. @throws RangeError for fewer than ten rates */
export function steadinessOf(rates: readonly number[]): Steadiness {
  if (rates.length < PARTS) throw new RangeError('Too few rates to tell whether they are steady.');
  const length = Math.floor(rates.length / PARTS);
  const [first, last] = [median(rates.slice(0, length)), median(rates.slice(-length))];
  return { first, last, lastPerFirst: last / first };
}

/** A sample of Prometheus' text format without labels; null where the page has none of the name. */
export function sampleOf(page: string, name: string): number | null {
  const line = page.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? null : Number(line.slice(name.length + 1));
}
