/** A value at a time. */
export interface Sample {
  /** Seconds. */
  readonly at: number;
  readonly value: number;
}

/** How a value behaved over the last two thirds of the samples, after it had a third to settle. */
export interface Flatness {
  /** By how much the regression line rises over these two thirds, in the unit of the value; below 0 when it falls. */
  readonly rise: number;
  /** Between the greatest and the least value. */
  readonly spread: number;
  readonly mean: number;
}

/**
 * The least sample of each so many seconds. Memory that is collected goes up and down, the higher the busier the machine is just then; what is never given back shows in the lowest points.
 */
export function troughsOf(samples: readonly Sample[], seconds: number): readonly Sample[] {
  const troughs = new Map<number, Sample>();
  for (const sample of samples) {
    const window = Math.floor(sample.at / seconds);
    const least = troughs.get(window);
    if (least === undefined || sample.value < least.value) troughs.set(window, sample);
  }
  return [...troughs.values()];
}

/** The least-squares line and the spread of the last two thirds. @throws RangeError for fewer than six samples */
export function flatnessOf(samples: readonly Sample[]): Flatness {
  if (samples.length < 6) throw new RangeError('Too few samples to tell whether they are flat.');
  const settled = samples.slice(Math.floor(samples.length / 3));
  const mean = average(settled.map(({ value }) => value));
  const middle = average(settled.map(({ at }) => at));
  const covariance = average(settled.map(({ at, value }) => (at - middle) * (value - mean)));
  const variance = average(settled.map(({ at }) => (at - middle) ** 2));
  const values = settled.map(({ value }) => value);
  const seconds = (settled.at(-1)?.at ?? 0) - (settled[0]?.at ?? 0);
  return { rise: (covariance / variance) * seconds, spread: Math.max(...values) - Math.min(...values), mean };
}

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
