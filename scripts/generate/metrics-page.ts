import { COUNTED_METRICS, type MetricDefinition } from '../../src/adapters/observability/metric-definition.ts';
import { processRegistry } from '../../src/adapters/observability/process-registry.ts';
import { READ_METRICS } from '../../src/adapters/observability/read-metrics.ts';

const INTRODUCTION = `# Metrics

\`GET /metrics\` answers in Prometheus' text format 0.0.4, and in OpenMetrics 1.0 to who asks for it (\`Accept: application/openmetrics-text\`). It is on the operators' port where there is one (\`SIGNING_ADMIN_PORT\`), open there to whoever
gets to that port, as \`/readyz\` is in full; else on the main one, for callers who may have the status (permission \`status\`), who prove who they are as for every other request: Prometheus can with a client certificate, but not with an access token, so that \`SIGNING_AUTH=required\` wants the operators' port, too. A page that was given is not worth a line of the log.

[deploy/prometheus](../deploy/prometheus) has a scrape configuration and alert rules, [deploy/grafana](../deploy/grafana) a dashboard, and [OPERATIONS.md](OPERATIONS.md#alerts) says what each alert means and what to do.

No label has an account, a caller, an address, a path or a file in it; \`SIGNING_METRICS_ACCOUNTS=true\` names accounts in the two metrics that say so. What callers make up becomes no label either: a platform that is not configured is
\`(none)\`, and so is a path that no route takes. What was counted of a platform that a reload takes away is forgotten.

Whatever is counted begins with 0 when the process starts, but for the counters of the audit record. A metric of something that is not on (HTTPS, client certificates, limits) is described on the page and has no value.

This page is made from the definitions in [src/adapters/observability](../src/adapters/observability/read-metrics.ts) by \`npm run generate -- docs\`.`;

const PROCESS_NOTE = `What prom-client finds out about any Node process, under the names that dashboards know; a part of it. The lag of the event loop is the time between two looks at it since the page before, which are 10 ms apart
at rest: what is above that is lag. Where several Prometheus servers ask, each sees a part of it.`;

/** docs/METRICS.md. */
export function metricsPage(): string {
  const sections = [
    section('What is counted', Object.values(COUNTED_METRICS)),
    ...Object.entries(READ_METRICS).map(([title, metrics]) => section(title, metrics)),
    `## The process\n\n${PROCESS_NOTE}\n\n${processTable()}`,
  ];
  return `${[INTRODUCTION, ...sections].join('\n\n')}\n`;
}

function section(title: string, metrics: readonly MetricDefinition[]): string {
  const rows = metrics.map(({ name, type, labels, help, buckets }) => {
    const bounds = buckets === undefined ? '' : ` Up to ${buckets.join(', ')}.`;
    return `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help}${bounds} |`;
  });
  return [`## ${title}`, '', '| Metric | Type | Labels | What it is |', '|---|---|---|---|', ...rows].join('\n');
}

/** The registry's own list has the help texts. */
function processTable(): string {
  const metrics = processRegistry().getMetricsAsArray() as readonly { readonly name: string; readonly help: string }[];
  const rows = metrics.map(({ name, help }) => `| \`${name}\` | ${help} |`);
  return ['| Metric | What it is |', '|---|---|', ...rows].join('\n');
}
