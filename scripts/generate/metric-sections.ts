import { STATE_METRICS } from '../../src/adapters/http/state/state-metrics.ts';
import { COUNTED_METRICS } from '../../src/adapters/observability/counted-metrics.ts';
import { processRegistry } from '../../src/adapters/observability/process-registry.ts';
import type { MetricDefinition } from '../../src/ports/metrics.ts';

/** The metrics of docs/operators/metrics.md. */
export function metricSections(): string {
  const sections = [
    section('Counters and histograms', Object.values(COUNTED_METRICS)),
    ...Object.entries(STATE_METRICS).map(([title, metrics]) => section(title, metrics)),
    `## Process\n\n${processTable()}`,
  ];
  return sections.join('\n\n');
}

function section(title: string, metrics: readonly MetricDefinition[]): string {
  const rows = metrics.map(({ name, type, labels, help, buckets }) => {
    const bounds = buckets === undefined ? '' : ` Buckets: ${buckets.join(', ')}.`;
    return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help}${bounds} |`;
  });
  return [`## ${title}`, '', '| Metric | Type | Labels | Meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** The registry's own list has the help texts. */
function processTable(): string {
  const metrics = processRegistry().getMetricsAsArray() as readonly { readonly name: string; readonly help: string }[];
  const rows = metrics.map(({ name, help }) => `| \`${name}\` | ${help} |`);
  return ['| Metric | Meaning |', '|---|---|', ...rows].join('\n');
}
