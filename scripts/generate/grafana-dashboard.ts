/** A panel. */
interface Panel {
  readonly title: string;
  readonly description: string;
  /** Grafana's unit. */
  readonly unit: string;
  /** Queries and their legends. */
  readonly queries: readonly (readonly [expression: string, legend: string])[];
  /** A number instead of a curve. */
  readonly isNumber?: boolean;
  /** Threshold of red for a number; default: no colour. */
  readonly redBelow?: number;
  readonly redAbove?: number;
}

/** A row of panels. */
interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const DATA_SOURCE = { type: 'prometheus', uid: `\${datasource}` };
const COLUMNS = 24;
const [WIDTH, HEIGHT] = [8, 8];
const [NUMBER_WIDTH, NUMBER_HEIGHT] = [4, 4];

/** Grafana 12; older versions from 9 on migrate nothing used here. */
const SCHEMA_VERSION = 42;

/** Selected replicas. */
const I = 'instance=~"$instance"';

const rate = (counter: string, labels = '', by = 'instance') =>
  `sum by (${by}) (rate(${counter}{${I}${labels}}[$__rate_interval]))`;
const quantile = (q: number, histogram: string, labels = '', by = 'instance') =>
  `histogram_quantile(${q}, sum by (${by}, le) (rate(${histogram}_bucket{${I}${labels}}[$__rate_interval])))`;
const number = (title: string, description: string, expression: string, more: Partial<Panel> = {}): Panel => ({
  ...{ title, description, unit: 'short', queries: [[expression, '{{instance}}']], isNumber: true },
  ...more,
});
const curve = (title: string, description: string, unit: string, ...queries: Panel['queries']): Panel => ({
  ...{ title, description, unit, queries },
});

const SIGNED = ',operation="sign",outcome="success"';

const ROWS: readonly Row[] = [
  {
    title: 'Overview',
    panels: [
      number(
        'Ready',
        'Share of the replicas of the last hour that are ready; red unless all are. A replica that returns no metrics or is gone counts as not ready.',
        `(sum(signing_ready{${I}}) or vector(0)) / max_over_time(count(up{${I},job="signing"})[1h:1m])`,
        { unit: 'percentunit', redBelow: 1 },
      ),
      number(
        'Audit available',
        '0: a replica cannot write audit records and signs nothing.',
        `min(signing_audit_available{${I}})`,
        { redBelow: 1 },
      ),
      number(
        'Signatures per second',
        'Signatures released by all replicas.',
        `sum(rate(signing_attempt_duration_seconds_count{${I}${SIGNED}}[$__rate_interval]))`,
        { unit: 'ops' },
      ),
      number(
        'Failed',
        'Share of attempts that failed because of the service.',
        `(sum(rate(signing_attempt_duration_seconds_count{${I},outcome="failed"}[$__rate_interval])) or vector(0)) / sum(rate(signing_attempt_duration_seconds_count{${I}}[$__rate_interval]))`,
        { unit: 'percentunit', redAbove: 0.01 },
      ),
      number(
        'Active accounts',
        'Maximum over all replicas.',
        `max(sum by (instance) (signing_accounts{${I},status="active"}))`,
      ),
      number(
        'Configurations',
        'More than 1: replicas differ.',
        `count(count by (digest) (signing_config_info{${I}}))`,
        { redAbove: 2 },
      ),
    ],
  },
  {
    title: 'Traffic',
    panels: [
      curve('Signatures by platform', 'Released per second.', 'ops', [
        rate('signing_attempt_duration_seconds_count', SIGNED, 'platform'),
        '{{platform}}',
      ]),
      curve('Signatures by algorithm', 'Released per second.', 'ops', [
        rate('signing_attempt_duration_seconds_count', SIGNED, 'algorithm'),
        '{{algorithm}}',
      ]),
      curve('HTTP requests by route', 'Per second.', 'reqps', [
        rate('signing_http_request_duration_seconds_count', '', 'method, route'),
        '{{method}} {{route}}',
      ]),
      curve(
        'Batch size',
        'Median and 99th percentile.',
        'short',
        [quantile(0.5, 'signing_batch_items', '', 'job'), 'median'],
        [quantile(0.99, 'signing_batch_items', '', 'job'), '99 %'],
      ),
      curve(
        'In progress',
        'Signatures in progress and queued requests as shares of their limits.',
        'percentunit',
        [`signing_in_flight_signatures{${I}} / signing_in_flight_signatures_limit`, 'in progress {{instance}}'],
        [`signing_queued_requests{${I}} / signing_queued_requests_limit`, 'queued {{instance}}'],
      ),
      curve('Buffered bodies', 'Bytes of request bodies in memory.', 'bytes', [
        `signing_held_body_bytes{${I}}`,
        '{{instance}}',
      ]),
      curve('Connections', 'Open connections by listener.', 'short', [
        `signing_http_connections{${I}}`,
        '{{instance}} {{listener}}',
      ]),
      curve('Verifications', 'Per second, by outcome.', 'ops', [
        rate('signing_attempt_duration_seconds_count', ',operation="verify"', 'outcome'),
        '{{outcome}}',
      ]),
    ],
  },
  {
    title: 'Latency',
    panels: [
      curve(
        'Signatures',
        'From the request to the durable audit record.',
        's',
        [quantile(0.5, 'signing_attempt_duration_seconds', SIGNED, 'job'), 'median'],
        [quantile(0.95, 'signing_attempt_duration_seconds', SIGNED, 'job'), '95 %'],
        [quantile(0.99, 'signing_attempt_duration_seconds', SIGNED, 'job'), '99 %'],
      ),
      curve('Signatures, 99th percentile by algorithm', 'Typed data and secp256k1 keys take longer.', 's', [
        quantile(0.99, 'signing_attempt_duration_seconds', SIGNED, 'algorithm'),
        '{{algorithm}}',
      ]),
      curve('Signatures, 99th percentile by replica', 'A slower replica usually has a slower disk.', 's', [
        quantile(0.99, 'signing_attempt_duration_seconds', SIGNED),
        '{{instance}}',
      ]),
      curve(
        'HTTP requests, 99th percentile by route',
        'Time that callers wait, including the upload of the body.',
        's',
        [quantile(0.99, 'signing_http_request_duration_seconds', '', 'route'), '{{route}}'],
      ),
      curve('Audit records, 99th percentile', 'Every signature waits for this.', 's', [
        quantile(0.99, 'signing_audit_commit_duration_seconds', ',outcome="durable"'),
        '{{instance}}',
      ]),
      curve(
        'Event loop',
        'Event loop lag, 99th percentile and maximum. 10 ms is normal.',
        's',
        [`nodejs_eventloop_lag_p99_seconds{${I},job="signing"}`, '99 % {{instance}}'],
        [`nodejs_eventloop_lag_max_seconds{${I},job="signing"}`, 'maximum {{instance}}'],
      ),
    ],
  },
  {
    title: 'Errors',
    panels: [
      curve('Attempts by outcome', 'Refused: the request was at fault. Failed: the service was at fault.', 'ops', [
        rate('signing_attempt_duration_seconds_count', ',outcome!="success"', 'outcome'),
        '{{outcome}}',
      ]),
      curve('Attempts by error', 'By code and reason.', 'ops', [
        rate('signing_attempt_errors_total', '', 'code, reason'),
        '{{code}} {{reason}}',
      ]),
      curve('Errors by platform', 'Attempts to sign and to verify.', 'ops', [
        rate('signing_attempt_errors_total', '', 'platform'),
        '{{platform}}',
      ]),
      curve('HTTP error responses', 'By code and reason.', 'reqps', [
        rate('signing_http_refusals_total', '', 'code, reason'),
        '{{code}} {{reason}}',
      ]),
      curve(
        'Overload',
        'Requests rejected with OVERLOADED, and connections closed immediately.',
        'reqps',
        [rate('signing_overload_refusals_total'), 'rejected {{instance}}'],
        [rate('signing_http_connections_dropped_total'), 'dropped {{instance}}'],
      ),
      curve('Rate limits', 'Requests rejected with RATE_LIMITED.', 'reqps', [
        rate('signing_rate_limited_requests_total', '', 'scope'),
        '{{scope}}',
      ]),
      curve('Policies', 'Requests denied by a policy, or that a policy in audit mode would have denied.', 'reqps', [
        rate('signing_policy_decisions_total', ',decision!="allowed"', 'policy, decision'),
        '{{policy}} {{decision}}',
      ]),
      curve('Budgets', 'Requests refused with BUDGET_EXCEEDED.', 'reqps', [
        rate('signing_budget_refusals_total', '', 'budget'),
        '{{budget}}',
      ]),
    ],
  },
  {
    title: 'By caller',
    panels: [
      curve('Signatures by caller', 'Released per second. Only with SIGNING_METRICS_CALLERS=true.', 'ops', [
        rate('signing_caller_signatures_total', '', 'caller'),
        '{{caller}}',
      ]),
      curve('Errors by caller', 'Attempts to sign without a signature per second, by code.', 'ops', [
        rate('signing_caller_errors_total', '', 'caller, code'),
        '{{caller}} {{code}}',
      ]),
      curve('Refused by caller', 'Share of attempts to sign that ended without a signature.', 'percentunit', [
        `${rate('signing_caller_errors_total', '', 'caller')} / (${rate('signing_caller_errors_total', '', 'caller')} + ${rate('signing_caller_signatures_total', '', 'caller')})`,
        '{{caller}}',
      ]),
    ],
  },
  {
    title: 'Audit',
    panels: [
      curve('Records', 'Per second.', 'ops', [
        `rate(signing_audit_head_sequence{${I}}[$__rate_interval])`,
        '{{instance}}',
      ]),
      curve('Queued records', 'Records that are not durable yet.', 'short', [
        `signing_audit_queued_records{${I}}`,
        '{{instance}}',
      ]),
      curve(
        'Abandoned records',
        'No signature was released for them.',
        'ops',
        [rate('signing_audit_commit_duration_seconds_count', ',outcome="failed"'), '{{instance}}'],
        [rate('signing_unrecorded_attempts_total'), 'attempts {{instance}}'],
      ),
      curve('Free audit disk space', 'Free bytes on the disk of the audit file.', 'bytes', [
        `signing_audit_disk_free_bytes{${I}}`,
        '{{instance}}',
      ]),
      curve(
        'Audited signatures',
        'Signatures and errors from the usage counters. With shared counters, every replica shows the same values.',
        'short',
        [`signing_recorded_signatures_total{${I}}`, 'signatures {{instance}}'],
        [`signing_recorded_errors_total{${I}}`, 'errors {{instance}}'],
      ),
      curve(
        'Shared through Redis',
        '0: counters, limits or nonces are not shared at the moment.',
        'short',
        [`signing_usage_current{${I}}`, 'counters {{instance}}'],
        [`signing_rate_limits_current{${I}}`, 'limits {{instance}}'],
        [`signing_auth_replays_known{${I}}`, 'nonces {{instance}}'],
      ),
    ],
  },
  {
    title: 'Configuration',
    panels: [
      curve('Accounts', 'By platform and status.', 'short', [
        `max by (platform, status) (signing_accounts{${I}})`,
        '{{platform}} {{status}}',
      ]),
      curve('Reloads', 'Per hour, by outcome.', 'short', [
        `sum by (instance, outcome) (increase(signing_config_reloads_total{${I}}[1h]))`,
        '{{instance}} {{outcome}}',
      ]),
      curve('Age of the configuration', 'Time since it was read.', 's', [
        `time() - signing_config_loaded_timestamp_seconds{${I}}`,
        '{{instance}}',
      ]),
      number(
        'Last reload',
        '0: the reload failed, and the previous configuration stays active.',
        `min(signing_config_last_reload_success{${I}})`,
        { redBelow: 1 },
      ),
      number('Generation', 'Number of configurations activated since the start.', `signing_config_generation{${I}}`),
    ],
  },
  {
    title: 'Keys, certificates and tokens',
    panels: [
      number('Memory locked', '0: keys can be written to swap.', `min(signing_memory_locked{${I}})`, { redBelow: 1 }),
      number(
        'HTTPS certificate',
        'Time left.',
        `min(signing_tls_certificate_not_after_timestamp_seconds{${I}}) - time()`,
        { unit: 's', redBelow: 14 * 86_400 },
      ),
      number(
        'Client certificate authorities',
        'Time left of the first one to expire.',
        `min(signing_tls_client_ca_not_after_timestamp_seconds{${I}}) - time()`,
        { unit: 's', redBelow: 30 * 86_400 },
      ),
      number('Access token', 'Time left.', `min(signing_auth_token_not_after_timestamp_seconds{${I}}) - time()`, {
        unit: 's',
        redBelow: 14 * 86_400,
      }),
      number('Keys', 'Keys in memory.', `max(signing_vault_keys{${I}})`),
      number('TLS files', '0: changed files could not be loaded.', `min(signing_tls_last_reload_success{${I}})`, {
        redBelow: 1,
      }),
      curve('Vault', 'Generation of the key-encryption key. It should rise steadily.', 'short', [
        `signing_vault_generation{${I}}`,
        '{{instance}}',
      ]),
      curve('Key refreshes', 'Re-encryptions of the keys in memory per hour, by outcome.', 'short', [
        `sum by (instance, outcome) (increase(signing_key_refreshes_total{${I}}[1h]))`,
        '{{instance}} {{outcome}}',
      ]),
    ],
  },
  {
    title: 'Process',
    panels: [
      curve('CPU', 'Share of one core. Signing uses one core.', 'percentunit', [
        `rate(process_cpu_seconds_total{${I},job="signing"}[$__rate_interval])`,
        '{{instance}}',
      ]),
      curve(
        'Memory',
        'Resident memory and V8 heap.',
        'bytes',
        [`process_resident_memory_bytes{${I},job="signing"}`, 'resident {{instance}}'],
        [`nodejs_heap_size_used_bytes{${I},job="signing"}`, 'heap {{instance}}'],
      ),
      curve('Files and connections', 'Open file descriptors as a share of the limit.', 'percentunit', [
        `process_open_fds{${I},job="signing"} / process_max_fds`,
        '{{instance}}',
      ]),
      curve('Uptime', 'A drop is a restart.', 's', [
        `time() - process_start_time_seconds{${I},job="signing"}`,
        '{{instance}}',
      ]),
      curve('Readiness checks', 'Checks of /readyz. 0: failed.', 'short', [
        `min by (check) (signing_ready_check{${I}})`,
        '{{check}}',
      ]),
      curve('Versions', 'Replicas by version.', 'short', [
        `count by (version, node) (signing_build_info{${I}})`,
        '{{version}} on {{node}}',
      ]),
    ],
  },
];

/** The dashboard in Grafana's import format. */
export function grafanaDashboard(): string {
  let id = 0;
  let top = 0;
  const panels = ROWS.flatMap(({ title, panels: inRow }) => {
    id += 1;
    const heading = {
      id,
      type: 'row',
      title,
      collapsed: false,
      panels: [],
      gridPos: { h: 1, w: COLUMNS, x: 0, y: top },
    };
    top += 1;
    let [left, rowHeight] = [0, 0];
    const placed = inRow.map((panel) => {
      const [w, h] = panel.isNumber === true ? [NUMBER_WIDTH, NUMBER_HEIGHT] : [WIDTH, HEIGHT];
      if (left + w > COLUMNS || (rowHeight > 0 && h !== rowHeight)) [left, top] = [0, top + rowHeight];
      const gridPos = { h, w, x: left, y: top };
      [left, rowHeight] = [left + w, h];
      id += 1;
      return toPanel(panel, id, gridPos);
    });
    top += rowHeight;
    return [heading, ...placed];
  });
  return `${JSON.stringify(toDashboard(panels), null, 2)}\n`;
}

function toDashboard(panels: readonly object[]): object {
  return {
    annotations: { list: [] },
    description: 'Signing service: throughput, latency, errors and causes. Generated by npm run generate -- docs.',
    editable: true,
    fiscalYearStartMonth: 0,
    graphTooltip: 1,
    links: [],
    panels,
    refresh: '30s',
    schemaVersion: SCHEMA_VERSION,
    tags: ['signing'],
    templating: { list: [dataSourceVariable(), instanceVariable()] },
    time: { from: 'now-3h', to: 'now' },
    timepicker: {},
    timezone: 'browser',
    title: 'Signing service',
    uid: 'signing-service',
    version: 1,
    weekStart: '',
  };
}

function dataSourceVariable(): object {
  return {
    ...{ name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', regex: '' },
    ...{ current: {}, hide: 0, includeAll: false, multi: false, options: [], refresh: 1, skipUrlSync: false },
  };
}

function instanceVariable(): object {
  const query = 'label_values(signing_build_info, instance)';
  return {
    ...{ name: 'instance', label: 'Replica', type: 'query', datasource: DATA_SOURCE, definition: query, regex: '' },
    query: { qryType: 1, query, refId: 'PrometheusVariableQueryEditor-VariableQuery' },
    current: { text: ['All'], value: ['$__all'] },
    ...{ allValue: '.*', hide: 0, includeAll: true, multi: true, options: [], refresh: 2, skipUrlSync: false, sort: 1 },
  };
}

function toPanel(panel: Panel, id: number, gridPos: object): object {
  const { title, description, unit, queries, isNumber = false } = panel;
  const targets = queries.map(([expr, legendFormat], index) => ({
    ...{ datasource: DATA_SOURCE, editorMode: 'code', expr, legendFormat, range: true },
    refId: String.fromCharCode(65 + index),
  }));
  return {
    ...{ id, type: isNumber ? 'stat' : 'timeseries', title, description, datasource: DATA_SOURCE, gridPos, targets },
    fieldConfig: { defaults: isNumber ? numberDefaults(panel) : curveDefaults(unit), overrides: [] },
    options: isNumber ? NUMBER_OPTIONS : CURVE_OPTIONS,
  };
}

const NUMBER_OPTIONS = {
  ...{ colorMode: 'value', graphMode: 'area', justifyMode: 'auto', orientation: 'auto', textMode: 'auto' },
  reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
};

const CURVE_OPTIONS = {
  legend: { calcs: [], displayMode: 'list', placement: 'bottom', showLegend: true },
  tooltip: { mode: 'multi', sort: 'desc' },
};

function numberDefaults({ unit, redBelow, redAbove }: Panel): object {
  const plain = { color: redBelow === undefined ? 'green' : 'red', value: null };
  const at = redBelow ?? redAbove;
  const steps = at === undefined ? [plain] : [plain, { color: redBelow === undefined ? 'red' : 'green', value: at }];
  return { color: { mode: 'thresholds' }, mappings: [], thresholds: { mode: 'absolute', steps }, unit };
}

function curveDefaults(unit: string): object {
  return {
    color: { mode: 'palette-classic' },
    custom: { drawStyle: 'line', fillOpacity: 8, lineWidth: 1, showPoints: 'never', spanNulls: false },
    mappings: [],
    min: 0,
    unit,
  };
}
