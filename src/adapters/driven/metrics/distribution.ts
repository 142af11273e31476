import type { MetricFamily } from './exposition.ts';
import type { CountedMetric, Labels } from './metric-definition.ts';

/** One combination of label values. */
interface Series {
  readonly labels: Labels;
  /** Values by the first bound that they do not exceed; what exceeds all is in `count` alone. */
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Series by the value of one label after the other. */
type Branches = Map<string, Branches | Series>;

/** A line of a page. */
type Line = MetricFamily['lines'] extends Iterable<infer Each> ? Each : never;

/**
 * A histogram that shows what prom-client's shows and costs less to tell: a signature is told of three times, and there each time the labels are checked, joined to one text, and hashed. Here they are
 * looked up one after the other.
 */
export class Distribution {
  readonly #definition: CountedMetric;
  readonly #bounds: readonly number[];
  /** A series by itself where there are no labels. */
  #root: Branches | Series = new Map();
  /** In the order in which they came up, which is that of the page. */
  readonly #series = new Set<Series>();

  constructor(definition: CountedMetric) {
    this.#definition = definition;
    this.#bounds = definition.buckets ?? [];
  }

  /**
   * Takes a value into account; what is no finite number is passed over.
   * @param labels a value for each label of the definition, in its order, from a bounded set
   */
  observe(labels: readonly string[], value: number): void {
    if (!Number.isFinite(value)) return;
    const series = this.#find(labels);
    series.sum += value;
    series.count += 1;
    const bounds = this.#bounds;
    for (let index = 0; index < bounds.length; index += 1) {
      if (value > (bounds[index] as number)) continue;
      series.counts[index] = (series.counts[index] as number) + 1;
      return;
    }
  }

  /** Shows a series before anything was observed for it. */
  expect(labels: readonly string[]): void {
    this.#find(labels);
  }

  /** Forgets all series that have a label of this value. */
  forget(label: string, value: string): void {
    const kept = [...this.#series].filter(({ labels }) => labels[label] !== value);
    this.#root = new Map();
    this.#series.clear();
    for (const series of kept) this.#add(series);
  }

  /** Everything as it is now. */
  family(): MetricFamily {
    const { name, type, help } = this.#definition;
    return { name, type, help, lines: [...this.#series].flatMap((series) => this.#linesOf(series)) };
  }

  #find(values: readonly string[]): Series {
    let found: Branches | Series | undefined = this.#root;
    if (values.length === 0 && this.#series.size === 0) return this.#begin(values);
    for (let index = 0; index < values.length; index += 1) {
      found = (found as Branches).get(values[index] as string);
      if (found === undefined) return this.#begin(values);
    }
    return found as Series;
  }

  #begin(values: readonly string[]): Series {
    const labels = Object.fromEntries(this.#definition.labels.map((name, index) => [name, values[index] as string]));
    const series: Series = { labels, counts: this.#bounds.map(() => 0), sum: 0, count: 0 };
    this.#add(series);
    return series;
  }

  #add(series: Series): void {
    this.#series.add(series);
    this.#root = withSeries(this.#root, Object.values(series.labels), series);
  }

  #linesOf({ labels, counts, sum, count }: Series): Line[] {
    const { name } = this.#definition;
    let upTo = 0;
    const buckets = this.#bounds.map((bound, index) => {
      upTo += counts[index] as number;
      return { name: `${name}_bucket`, labels: { le: String(bound), ...labels }, value: upTo };
    });
    return [
      ...buckets,
      { name: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
      { name: `${name}_sum`, labels, value: sum },
      { name: `${name}_count`, labels, value: count },
    ];
  }
}

/** The branches with the series at their end. */
function withSeries(
  at: Branches | Series | undefined,
  [value, ...rest]: readonly string[],
  series: Series,
): Branches | Series {
  if (value === undefined) return series;
  const branches = at instanceof Map ? at : new Map();
  return branches.set(value, withSeries(branches.get(value), rest, series));
}
