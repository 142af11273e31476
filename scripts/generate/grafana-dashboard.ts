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
    title: 'At a glance',
    panels: [
      number(
        'Ready',
        'Share of the scraped replicas that are ready; red unless all are. A replica that gives no metrics counts as not ready.',
        `(sum(signing_ready{${I}}) or vector(0)) / count(up{${I},job="signing"})`,
        { unit: 'percentunit', redBelow: 1 },
      ),
      number(
        'Can record',
        '0: a replica can not write audit records, and signs nothing.',
        `min(signing_audit_available{${I}})`,
        { redBelow: 1 },
      ),
      number(
        'Signatures a second',
        'Released, over all replicas.',
        `sum(rate(signing_attempt_duration_seconds_count{${I}${SIGNED}}[$__rate_interval]))`,
        { unit: 'ops' },
      ),
      number(
        'Failed',
        'Share of attempts that failed through a fault of the service.',
        `sum(rate(signing_attempt_duration_seconds_count{${I},outcome="failed"}[$__rate_interval])) / sum(rate(signing_attempt_duration_seconds_count{${I}}[$__rate_interval]))`,
        { unit: 'percentunit', redAbove: 0.01 },
      ),
      number(
        'Active accounts',
        'The most that any replica has.',
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
      curve('Signatures by platform', 'Released a second.', 'ops', [
        rate('signing_attempt_duration_seconds_count', SIGNED, 'platform'),
        '{{platform}}',
      ]),
      curve('Signatures by algorithm', 'Released a second.', 'ops', [
        rate('signing_attempt_duration_seconds_count', SIGNED, 'algorithm'),
        '{{algorithm}}',
      ]),
      curve('HTTP requests by route', 'A second.', 'reqps', [
        rate('signing_http_request_duration_seconds_count', '', 'method, route'),
        '{{method}} {{route}}',
      ]),
      curve(
        'Items of a batch',
        'Median and 99th percentile.',
        'short',
        [quantile(0.5, 'signing_batch_items', '', 'job'), 'median'],
        [quantile(0.99, 'signing_batch_items', '', 'job'), '99 %'],
      ),
      curve(
        'In the making',
        'Signatures at once, and requests that wait, of what each replica takes.',
        'percentunit',
        [`signing_in_flight_signatures{${I}} / signing_in_flight_signatures_limit`, 'in flight {{instance}}'],
        [`signing_queued_requests{${I}} / signing_queued_requests_limit`, 'waiting {{instance}}'],
      ),
      curve('Held bodies', 'Bytes of request bodies in memory.', 'bytes', [
        `signing_held_body_bytes{${I}}`,
        '{{instance}}',
      ]),
      curve('Connections', 'Open, by listener.', 'short', [
        `signing_http_connections{${I}}`,
        '{{instance}} {{listener}}',
      ]),
      curve('Verifications', 'A second, by outcome.', 'ops', [
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
        'From the request to the durable record.',
        's',
        [quantile(0.5, 'signing_attempt_duration_seconds', SIGNED, 'job'), 'median'],
        [quantile(0.95, 'signing_attempt_duration_seconds', SIGNED, 'job'), '95 %'],
        [quantile(0.99, 'signing_attempt_duration_seconds', SIGNED, 'job'), '99 %'],
      ),
      curve('Signatures, 99th percentile by algorithm', 'Typed data and keys of secp256k1 take longer.', 's', [
        quantile(0.99, 'signing_attempt_duration_seconds', SIGNED, 'algorithm'),
        '{{algorithm}}',
      ]),
      curve('Signatures, 99th percentile by replica', 'One that is slower than the others has a slower disk.', 's', [
        quantile(0.99, 'signing_attempt_duration_seconds', SIGNED),
        '{{instance}}',
      ]),
      curve('HTTP requests, 99th percentile by route', 'What callers wait for, their bodies included.', 's', [
        quantile(0.99, 'signing_http_request_duration_seconds', '', 'route'),
        '{{route}}',
      ]),
      curve('Audit records, 99th percentile', 'Every signature waits for this.', 's', [
        quantile(0.99, 'signing_audit_commit_duration_seconds', ',outcome="durable"'),
        '{{instance}}',
      ]),
      curve(
        'Event loop',
        'How late work is, 99th percentile and most, with 10 ms that are no lag.',
        's',
        [`nodejs_eventloop_lag_p99_seconds{${I},job="signing"}`, '99 % {{instance}}'],
        [`nodejs_eventloop_lag_max_seconds{${I},job="signing"}`, 'most {{instance}}'],
      ),
    ],
  },
  {
    title: 'Errors',
    panels: [
      curve('Attempts by outcome', 'Refused: the fault of requests. Failed: of the service.', 'ops', [
        rate('signing_attempt_duration_seconds_count', ',outcome!="success"', 'outcome'),
        '{{outcome}}',
      ]),
      curve('Attempts by error', 'By code and reason.', 'ops', [
        rate('signing_attempt_errors_total', '', 'code, reason'),
        '{{code}} {{reason}}',
      ]),
      curve('Errors by platform', 'Of attempts to sign and to verify.', 'ops', [
        rate('signing_attempt_errors_total', '', 'platform'),
        '{{platform}}',
      ]),
      curve('HTTP answers that are errors', 'By code and reason.', 'reqps', [
        rate('signing_http_refusals_total', '', 'code, reason'),
        '{{code}} {{reason}}',
      ]),
      curve(
        'Too much to do',
        'Requests refused with OVERLOADED, and connections that were closed as they opened.',
        'reqps',
        [rate('signing_overload_refusals_total'), 'refused {{instance}}'],
        [rate('signing_http_connections_dropped_total'), 'dropped {{instance}}'],
      ),
      curve('Too often', 'Requests refused with RATE_LIMITED.', 'reqps', [
        rate('signing_rate_limited_requests_total', '', 'scope'),
        '{{scope}}',
      ]),
      curve('Policies', 'Requests that a policy denied, or would have denied outside of audit mode.', 'reqps', [
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
    title: 'Audit',
    panels: [
      curve('Records', 'A second.', 'ops', [
        `rate(signing_audit_head_sequence{${I}}[$__rate_interval])`,
        '{{instance}}',
      ]),
      curve('Waiting records', 'Records that are not durable yet.', 'short', [
        `signing_audit_queued_records{${I}}`,
        '{{instance}}',
      ]),
      curve(
        'Records that were given up',
        'Nothing is released for them.',
        'ops',
        [rate('signing_audit_commit_duration_seconds_count', ',outcome="failed"'), '{{instance}}'],
        [rate('signing_unrecorded_attempts_total'), 'attempts {{instance}}'],
      ),
      curve('Room for the audit file', 'Bytes that may still be written.', 'bytes', [
        `signing_audit_disk_free_bytes{${I}}`,
        '{{instance}}',
      ]),
      curve(
        'On record',
        'Signatures and errors as the usage counters have them; where they are shared, each replica shows the same.',
        'short',
        [`signing_recorded_signatures_total{${I}}`, 'signatures {{instance}}'],
        [`signing_recorded_errors_total{${I}}`, 'errors {{instance}}'],
      ),
      curve(
        'Shared through Redis',
        '0: counters, limits or nonces are not shared for now.',
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
      curve('Reloads', 'An hour, by outcome.', 'short', [
        `sum by (instance, outcome) (increase(signing_config_reloads_total{${I}}[1h]))`,
        '{{instance}} {{outcome}}',
      ]),
      curve('Age of the configuration', 'Since it was read.', 's', [
        `time() - signing_config_loaded_timestamp_seconds{${I}}`,
        '{{instance}}',
      ]),
      number(
        'Last reload',
        '0: it failed, and the configuration before goes on.',
        `min(signing_config_last_reload_success{${I}})`,
        { redBelow: 1 },
      ),
      number('Generation', 'Configurations since the start.', `signing_config_generation{${I}}`),
    ],
  },
  {
    title: 'Keys, certificates and tokens',
    panels: [
      number('Memory locked', '0: keys can be written to swap.', `min(signing_memory_locked{${I}})`, { redBelow: 1 }),
      number(
        'HTTPS certificate',
        'Time that is left.',
        `min(signing_tls_certificate_not_after_timestamp_seconds{${I}}) - time()`,
        { unit: 's', redBelow: 14 * 86_400 },
      ),
      number(
        'Authorities of clients',
        'Time that is left of the first to end.',
        `min(signing_tls_client_ca_not_after_timestamp_seconds{${I}}) - time()`,
        { unit: 's', redBelow: 30 * 86_400 },
      ),
      number(
        'Access token',
        'Time that is left.',
        `min(signing_auth_token_not_after_timestamp_seconds{${I}}) - time()`,
        { unit: 's', redBelow: 14 * 86_400 },
      ),
      number('Keys', 'Held in memory.', `max(signing_vault_keys{${I}})`),
      number('Files of HTTPS', '0: changed files could not be taken.', `min(signing_tls_last_reload_success{${I}})`, {
        redBelow: 1,
      }),
      curve('Vault', 'Generation of the key that protects keys in memory: it rises evenly.', 'short', [
        `signing_vault_generation{${I}}`,
        '{{instance}}',
      ]),
      curve('Refreshes', 'An hour, by outcome.', 'short', [
        `sum by (instance, outcome) (increase(signing_key_refreshes_total{${I}}[1h]))`,
        '{{instance}} {{outcome}}',
      ]),
    ],
  },
  {
    title: 'Process',
    panels: [
      curve('Processor', 'Of one core; signing is one.', 'percentunit', [
        `rate(process_cpu_seconds_total{${I},job="signing"}[$__rate_interval])`,
        '{{instance}}',
      ]),
      curve(
        'Memory',
        'Resident, and of V8.',
        'bytes',
        [`process_resident_memory_bytes{${I},job="signing"}`, 'resident {{instance}}'],
        [`nodejs_heap_size_used_bytes{${I},job="signing"}`, 'heap {{instance}}'],
      ),
      curve('Files and connections', 'Open, of those that may be.', 'percentunit', [
        `process_open_fds{${I},job="signing"} / process_max_fds`,
        '{{instance}}',
      ]),
      curve('Time since the start', 'A fall is a restart.', 's', [
        `time() - process_start_time_seconds{${I},job="signing"}`,
        '{{instance}}',
      ]),
      curve('Checks of /readyz', '0: it does not hold.', 'short', [
        `min by (check) (signing_ready_check{${I}})`,
        '{{check}}',
      ]),
      curve('Versions', 'Replicas of each.', 'short', [
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
    description:
      'The signing service: what is signed, how long it takes, and what keeps it from signing. Made by npm run generate -- docs.',
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
