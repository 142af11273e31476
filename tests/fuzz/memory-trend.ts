/** A value at a time. */
export interface Sample {
  /** Seconds. */
  readonly at: number;
  readonly value: number;
}

/** Trend of the last two thirds of samples, after a third to settle. */
export interface Trend {
  /** Rise of the regression line, in the unit of the value. */
  readonly rise: number;
  /** Maximum minus minimum. */
  readonly spread: number;
  readonly mean: number;
}

/**
 * Minimum of each window of seconds. Collected memory fluctuates with load; leaks show in the
 * minima.
 */
export function findMinima(samples: readonly Sample[], seconds: number): readonly Sample[] {
  const minima = new Map<number, Sample>();
  for (const sample of samples) {
    const window = Math.floor(sample.at / seconds);
    const minimum = minima.get(window);
    if (minimum === undefined || sample.value < minimum.value) minima.set(window, sample);
  }
  return [...minima.values()];
}

/** Trend by least squares. @throws RangeError for fewer than six samples */
export function measureTrend(samples: readonly Sample[]): Trend {
  if (samples.length < 6) throw new RangeError('Too few samples to tell whether they are flat.');
  const settled = samples.slice(Math.floor(samples.length / 3));
  const mean = average(settled.map(({ value }) => value));
  const meanTime = average(settled.map(({ at }) => at));
  const covariance = average(settled.map(({ at, value }) => (at - meanTime) * (value - mean)));
  const variance = average(settled.map(({ at }) => (at - meanTime) ** 2));
  const values = settled.map(({ value }) => value);
  const seconds = (settled.at(-1)?.at ?? 0) - (settled[0]?.at ?? 0);
  return { rise: (covariance / variance) * seconds, spread: Math.max(...values) - Math.min(...values), mean };
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
