import type { MetricsFormat } from '../../../ports/metrics.ts';
import type { Labels, MetricDefinition } from './metric-definition.ts';

/** One line of a page. */
interface Line {
  /** Where it is not that of the family: a histogram has `_bucket`, `_sum` and `_count`. */
  readonly name?: string | undefined;
  readonly labels: Labels;
  readonly value: number;
}

/** A metric with its values. */
export interface MetricFamily extends Pick<MetricDefinition, 'name' | 'type' | 'help'> {
  readonly lines: Iterable<Line>;
}

/** Lines in one text: written in a fraction of a millisecond. */
const LINES = 100;

const TOTAL = '_total';

/**
 * Writes families as a page, in texts of a hundred lines, each of which is made when it is asked for. Names of metrics and labels, and help, have to be known to need no escaping.
 *
 * Prometheus' text format 0.0.4, or OpenMetrics 1.0, in which a counter is called without its `_total` where it is described, and the page has an end.
 */
export function* expose(families: Iterable<MetricFamily>, format: MetricsFormat): Generator<string> {
  let lines: string[] = [];
  for (const { name, type, help, lines: values } of families) {
    const described = format === 'openmetrics' && type === 'counter' ? withoutTotal(name) : name;
    lines.push(`# HELP ${described} ${help}\n# TYPE ${described} ${type}\n`);
    for (const line of values) {
      lines.push(`${line.name ?? name}${labelsText(line.labels)} ${numberText(line.value)}\n`);
      if (lines.length < LINES) continue;
      yield lines.join('');
      lines = [];
    }
  }
  if (format === 'openmetrics') lines.push('# EOF\n');
  yield lines.join('');
}

function withoutTotal(name: string): string {
  return name.endsWith(TOTAL) ? name.slice(0, -TOTAL.length) : name;
}

function labelsText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

/** Both formats take Go's numbers. */
function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  return value === Number.NEGATIVE_INFINITY ? '-Inf' : String(value);
}
