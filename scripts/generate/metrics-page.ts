import { COUNTED_METRICS, type MetricDefinition } from '../../src/adapters/observability/metric-definition.ts';
import { processRegistry } from '../../src/adapters/observability/process-registry.ts';
import { READ_METRICS } from '../../src/adapters/observability/read-metrics.ts';
import { GENERATED_MARK } from './generated-mark.ts';
import { wrapMarkdown } from './wrap-markdown.ts';

const INTRODUCTION = `${GENERATED_MARK}# Metrics

For operators: every metric of \`GET /metrics\`.

- **Format.** Prometheus text format 0.0.4, or OpenMetrics 1.0 with \`Accept: application/openmetrics-text\`.
- **Access.** With \`SIGNING_ADMIN_PORT\`, on that port only and for every client that can reach it. Otherwise on the main port, for callers
with the permission \`status\`. Prometheus can present a client certificate but no access token: with \`SIGNING_AUTH=required\`, use
\`SIGNING_ADMIN_PORT\`. Successful scrapes are not logged.
- **Labels.** No label contains an account, caller, address, path or file. \`SIGNING_METRICS_ACCOUNTS=true\` adds the account ID to
the two account metrics, \`SIGNING_METRICS_CALLERS=true\` the principals of the permissions list to the two caller metrics. An unknown platform or route is \`(none)\`. When a reload removes a platform or principal, its series are dropped.
- **Start.** Counters start at 0 with the process, except those of the audit log. Metrics of a disabled feature (HTTPS, client certificates,
rate limits) have no value.

[deploy/prometheus](../../deploy/prometheus) has a scrape configuration and alert rules, [deploy/grafana](../../deploy/grafana) a
dashboard. [Alerts](alerts.md) explains each alert.`;

const PROCESS_NOTE = `A selection of the process metrics of prom-client. Event loop lag is the time between two samples, since the previous scrape. At rest,
samples are 10 ms apart: only the excess is lag. With several Prometheus servers, each sees only some of the samples.`;

/** docs/operators/metrics.md. */
export function metricsPage(): string {
  const sections = [
    section('Counters and histograms', Object.values(COUNTED_METRICS)),
    ...Object.entries(READ_METRICS).map(([title, metrics]) => section(title, metrics)),
    `## Process\n\n${PROCESS_NOTE}\n\n${processTable()}`,
  ];
  return wrapMarkdown(`${[INTRODUCTION, ...sections].join('\n\n')}\n`);
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
