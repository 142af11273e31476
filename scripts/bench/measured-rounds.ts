/** What one slice of time measured. */
export interface Round {
  /** Signatures, requests or records, as the scenario says. */
  readonly perSecond: number;
  /** Of a request, milliseconds; null where nobody asks. */
  readonly p50: number | null;
  readonly p99: number | null;
  /** Of the service: seconds of processor for 1000 signatures; null where there is no service. */
  readonly cpuSecondsPer1000: number | null;
  /** Processors that the service kept busy. */
  readonly serviceCores: number | null;
  /** Processors that the callers kept busy. */
  readonly callerCores: number | null;
  /** Processors that other programs kept busy. */
  readonly otherCores: number | null;
  /** Resident memory of the service at the end. */
  readonly rssBytes: number | null;
}

/** A median, and between which values it lies. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

const FIELDS = [
  'perSecond',
  'p50',
  'p99',
  'cpuSecondsPer1000',
  'serviceCores',
  'callerCores',
  'otherCores',
  'rssBytes',
] as const satisfies readonly (keyof Round)[];

/** The middle value, or the mean of the two in the middle; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const upper = Math.floor(sorted.length / 2);
  const middle = sorted.length % 2 === 1 ? [sorted[upper]] : [sorted[upper - 1], sorted[upper]];
  return middle.reduce((sum: number, value = Number.NaN) => sum + value, 0) / middle.length;
}

/** A round whose every field is the median of that field. */
export function medianRound(rounds: readonly Round[]): Round {
  const medianOf = (field: keyof Round) => {
    const values = rounds.flatMap((round) => round[field] ?? []);
    return values.length === 0 ? null : median(values);
  };
  return Object.fromEntries(FIELDS.map((field) => [field, medianOf(field)])) as unknown as Round;
}

/** The values' median, least and most. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}

/** Of two scenarios that took turns: the ratios of those rounds that were neighbours in time, so that what slows the machine down for a while hits both sides of a ratio alike. */
export function ratioOfRounds(upper: readonly Round[], lower: readonly Round[]): Spread {
  const ratios = upper.flatMap(({ perSecond }, index) => {
    const neighbour = lower[index];
    return neighbour === undefined ? [] : [perSecond / neighbour.perSecond];
  });
  return spreadOf(ratios);
}
