import { formatMs } from '../../tests/harness/print.ts';

/** Quantiles of latencies, milliseconds. */
export interface Quantiles {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** NaN without values. */
export function quantiles(latencies: readonly number[]): Quantiles {
  const sorted = latencies.toSorted((left, right) => left - right);
  const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}

/** On one line. */
export function formatQuantiles({ p50, p99, max }: Quantiles): string {
  return `p50 ${formatMs(p50)}   p99 ${formatMs(p99)}   max ${formatMs(max)}`;
}

/** NaN without values. */
export function median(values: readonly number[]): number {
  return quantiles(values).p50;
}
