import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { parse } from 'yaml';
import { STATE_METRICS } from '../../src/adapters/http/state/state-metrics.ts';
import { COUNTED_METRICS } from '../../src/adapters/observability/counted-metrics.ts';
import { DATA_A } from '../harness/sample-accounts.ts';
import { PROJECT_ROOT, readProjectFile } from '../project-root.ts';
import { EquippedService } from './equipped-service.ts';
import { namedInQuery } from './named-in-query.ts';
import { itWithPromtool, promtool } from './promtool.ts';
import { type MetricsPage, readPage, valueIn } from './read-page.ts';

const PROMETHEUS = join(PROJECT_ROOT, 'deploy/prometheus');
const DASHBOARD = join(PROJECT_ROOT, 'deploy/grafana/signing-service.json');

/** Labels and metrics that Prometheus adds. */
const LABELS_OF_PROMETHEUS = ['job', 'instance'];
const METRICS_OF_PROMETHEUS = ['up'];

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly runbook: string; readonly runbook_url: string };
}

interface Target {
  readonly expr: string;
}

interface Step {
  readonly color: string;
  /** Lower bound; null for none. */
  readonly value: number | null;
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets?: readonly Target[];
    readonly fieldConfig?: {
      readonly defaults: { readonly thresholds?: { readonly steps: readonly Step[] } };
    };
  }[];
}

const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8');
const alerts: readonly Alert[] = parse(read(PROMETHEUS, 'alerts.yml')).groups.flatMap(
  ({ rules }: { rules: readonly Alert[] }) => rules,
);
const dashboard: Dashboard = JSON.parse(readFileSync(DASHBOARD, 'utf8'));

let tested: Promise<string> | undefined;

/** Runs the tests of the rules once, which take seconds. */
function testRules(): Promise<string> {
  tested ??= promtool(PROMETHEUS, ['test', 'rules', 'alerts.test.yml']);
  return tested;
}

describe('The metrics of a service with every feature', () => {
  let service: EquippedService;
  let text: string;
  let page: MetricsPage;

  before(async () => {
    // Meanwhile; its own test reports a failure.
    testRules().catch(() => undefined);
    service = await EquippedService.start();
    const body = { platformId: 'alpha', accountId: 'main', data: DATA_A };
    const post = (path: string, content: object) =>
      service.request(`/api/v1/${path}`, { method: 'POST', body: content });
    expect((await post('sign', body)).status).to.equal(200);
    expect((await post('sign', { ...body, platformId: 'made-up' })).status).to.equal(400);
    expect((await post('sign/batch', { requests: [{ ...body, requestId: 'r-1' }] })).status).to.equal(200);
    expect((await post('verify', { ...body, signature: 'x' })).status).to.equal(200);
    await service.reload();
    do {
      const response = await service.requestAdmin('/metrics');
      expect(response.status).to.equal(200);
      text = response.text;
      page = readPage(text);
      await sleep(50);
      // Keys are refreshed every second, the minimum; a page may be read in the middle of a
      // refresh.
    } while (
      valueIn(page, 'signing_key_last_refresh_timestamp_seconds') === undefined ||
      valueIn(page, 'signing_vault_generation') === 1
    );
  });
  after(() => service.stop());

  it("are on the operators' port, not on the main one", async () => {
    expect((await service.request('/metrics')).status).to.equal(404);
    const head = await service.requestAdmin('/metrics', { method: 'HEAD' });
    expect([head.status, head.text]).to.deep.equal([200, '']);
    expect((await service.requestAdmin('/metrics', { method: 'POST' })).status).to.equal(405);
    expect((await service.requestAdmin('/api/v1/status')).status).to.equal(401);
  });

  it('each have a value, with their defined labels', () => {
    const histograms = Object.values(COUNTED_METRICS).filter(({ type }) => type === 'histogram');
    const sampleName = (name: string) => (histograms.some((one) => one.name === name) ? `${name}_count` : name);
    for (const { name, labels } of [...Object.values(COUNTED_METRICS), ...Object.values(STATE_METRICS).flat()]) {
      const samples = page.samples.filter((sample) => sample.name === sampleName(name));
      expect(samples, name).not.to.deep.equal([]);
      for (const sample of samples) expect(Object.keys(sample.labels), name).to.have.members(labels);
    }
  });

  it('contain no caller input, path, address or file name, and callers of the permissions list only as such', () => {
    expect(text.replaceAll('caller="bot"', '')).not.to.match(
      /made-up|127\.0\.0\.1|\/tmp|audit\.jsonl|\.key|\.crt|\bbot\b/,
    );
  });

  itWithPromtool('pass promtool check metrics', async () => {
    await promtool(PROJECT_ROOT, ['check', 'metrics'], text);
  });

  /** Labels of each metric on the page, histograms by their samples' names. */
  const known = () => {
    const getLabels = new Map<string, Set<string>>(METRICS_OF_PROMETHEUS.map((name) => [name, new Set()]));
    for (const { name, labels } of page.samples) {
      const all = getLabels.get(name) ?? new Set();
      for (const label of Object.keys(labels)) all.add(label);
      getLabels.set(name, all);
    }
    return getLabels;
  };

  function expectKnown(query: string, where: string): void {
    const { metrics, labels } = namedInQuery(query);
    expect(metrics, where).not.to.deep.equal([]);
    const getLabels = known();
    expect(
      metrics.filter((name) => !getLabels.has(name)),
      where,
    ).to.deep.equal([]);
    const allowed = new Set([...LABELS_OF_PROMETHEUS, ...metrics.flatMap((name) => [...(getLabels.get(name) ?? [])])]);
    expect(
      labels.filter((label) => !allowed.has(label)),
      where,
    ).to.deep.equal([]);
  }

  it('match the alert rules', () => {
    for (const { alert, expr } of alerts) expectKnown(expr, alert);
  });

  it('match the dashboard', () => {
    for (const { title, targets = [] } of dashboard.panels) {
      for (const { expr } of targets) expectKnown(expr.replaceAll('$__rate_interval', '5m'), title);
    }
  });
});

describe('deploy/prometheus', () => {
  itWithPromtool('has a valid Prometheus configuration', async () => {
    expect(await promtool(PROMETHEUS, ['check', 'config', 'prometheus.yml'])).to.include('SUCCESS');
  });

  itWithPromtool('has rules that fire exactly when they should', async () => {
    expect(await promtool(PROMETHEUS, ['check', 'rules', 'alerts.yml'])).to.include(`${alerts.length} rules found`);
    expect(await testRules()).to.include('SUCCESS');
  });

  const operations = readProjectFile('docs/operators/alerts.md');
  const sections = [...operations.matchAll(/^## (Signing\w+)$/gm)].map(([, name = '']) => name);

  it('explains each alert and its remedy in docs/operators/alerts.md, in the same order', () => {
    expect(sections).to.deep.equal(alerts.map(({ alert }) => alert));
    for (const { alert, annotations } of alerts) {
      expect(annotations.runbook).to.equal(`docs/operators/alerts.md#${alert.toLowerCase()}`);
      expect(annotations.runbook_url, 'the external label signing_docs, or a placeholder').to.equal(
        `{{ or $externalLabels.signing_docs "https://docs.example.com/signing-service" }}/operators/alerts.md#${alert.toLowerCase()}`,
      );
    }
  });
});

describe('deploy/grafana/signing-service.json', () => {
  itWithPromtool('contains only valid PromQL', async () => {
    const rules = dashboard.panels.flatMap(({ id, targets = [] }) =>
      targets.map(({ expr }, index) => ({
        record: `panel_${id}:${index}`,
        expr: expr.replaceAll('$__rate_interval', '5m'),
      })),
    );
    const folder = mkdtempSync(join(tmpdir(), 'signing-service-queries-'));
    try {
      writeFileSync(join(folder, 'panels.yml'), JSON.stringify({ groups: [{ name: 'panels', rules }] }));
      expect(await promtool(folder, ['check', 'rules', 'panels.yml'])).to.include(`${rules.length} rules found`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  const series = (name: string, instance: string, values: string) => ({
    series: `${name}{instance="${instance}",job="signing"}`,
    values,
  });
  const replica = (instance: string, up: string, ready: string) => [
    series('up', instance, up),
    series('signing_ready', instance, ready),
  ];
  itWithPromtool('shows Ready in green only while every replica is ready', async () => {
    const ready = dashboard.panels.find(({ title }) => title === 'Ready');
    const steps = ready?.fieldConfig?.defaults.thresholds?.steps ?? [];
    expect(steps.map(({ color }) => color)).to.deep.equal(['red', 'green']);
    const expr = (ready?.targets?.[0]?.expr ?? '').replaceAll('$instance', '.*');
    const fleets = [
      { isGreen: 1, other: replica('b', '1x6', '1x6') },
      { isGreen: 0, other: replica('b', '1x6', '0x6') },
      // Gone after a minute.
      { isGreen: 0, other: replica('b', '1 _x5', '1 _x5') },
    ];
    const tests = fleets.map(({ isGreen, other }) => ({
      interval: '1m',
      input_series: [...replica('a', '1x6', '1x6'), ...other],
      promql_expr_test: [
        {
          expr: `(${expr}) >= bool ${steps[1]?.value}`,
          eval_time: '6m',
          exp_samples: [{ labels: '{}', value: isGreen }],
        },
      ],
    }));
    const folder = mkdtempSync(join(tmpdir(), 'signing-service-ready-'));
    try {
      writeFileSync(join(folder, 'ready.yml'), JSON.stringify({ tests }));
      expect(await promtool(folder, ['test', 'rules', 'ready.yml'])).to.include('SUCCESS');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
