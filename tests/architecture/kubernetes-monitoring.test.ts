import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { prometheusRule } from '../../scripts/generate/prometheus-rule.ts';
import { installedProgram } from '../programs/installed-program.ts';
import { PROJECT_ROOT } from '../project-root.ts';

const DEPLOY = join(PROJECT_ROOT, 'deploy');
const FOLDER = join(DEPLOY, 'kubernetes/monitoring');
const KUBECTL = installedProgram('kubectl');

function read(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}

describe('deploy/kubernetes/monitoring', () => {
  const kustomization = parse(read('kustomization.yaml'));
  const monitor = parse(read('pod-monitor.yaml'));
  const rule = parse(read('prometheus-rule.yaml'));
  const [replicas] = parseAllDocuments(readFileSync(join(DEPLOY, 'kubernetes/statefulset.yaml'), 'utf8')).map((one) =>
    one.toJS(),
  );
  const [endpoint, ...others] = monitor.spec.podMetricsEndpoints;
  const alerts = readFileSync(join(DEPLOY, 'prometheus/alerts.yml'), 'utf8');
  const [scraped] = parse(readFileSync(join(DEPLOY, 'prometheus/prometheus.yml'), 'utf8')).scrape_configs;

  it('references each of its files', () => {
    expect([...kustomization.resources, 'kustomization.yaml'].sort()).to.deep.equal(readdirSync(FOLDER).sort());
    expect(kustomization.namespace).to.equal('signing');
  });

  it('has the rules of alerts.yml, as `npm run generate -- docs` writes them', () => {
    expect(read('prometheus-rule.yaml')).to.equal(prometheusRule(alerts));
    expect([rule.apiVersion, rule.kind]).to.deep.equal(['monitoring.coreos.com/v1', 'PrometheusRule']);
    expect(rule.spec).to.deep.equal(parse(alerts));
  });

  it("scrapes the operators' port of each pod over HTTPS", () => {
    expect([monitor.apiVersion, monitor.kind, others]).to.deep.equal(['monitoring.coreos.com/v1', 'PodMonitor', []]);
    expect(monitor.spec.selector.matchLabels).to.deep.equal(replicas.spec.template.metadata.labels);
    const [{ ports }] = replicas.spec.template.spec.containers;
    expect(ports.map(({ name }: { readonly name: string }) => name)).to.include(endpoint.port);
    expect([endpoint.path, endpoint.scheme]).to.deep.equal([scraped.metrics_path, 'https']);
    const guide = readFileSync(join(PROJECT_ROOT, 'docs/operators/deploy.md'), 'utf8');
    expect(guide, 'its certificate has that name').to.include(`DNS:${endpoint.tlsConfig.serverName}`);
    const { name, key } = endpoint.tlsConfig.ca.configMap;
    expect(guide).to.include(`create configmap ${name} --from-file=${key}=`);
  });

  it('gives the job name of the rules, the pod as instance, and drops what prometheus.yml drops', () => {
    expect(endpoint.relabelings).to.deep.equal([
      { targetLabel: 'job', replacement: scraped.job_name },
      { sourceLabels: ['__meta_kubernetes_pod_name'], targetLabel: 'instance' },
    ]);
    const dropped = scraped.metric_relabel_configs.map(
      ({ source_labels, ...rest }: { readonly source_labels: readonly string[] }) => ({
        sourceLabels: source_labels,
        ...rest,
      }),
    );
    expect(endpoint.metricRelabelings).to.deep.equal(dropped);
  });

  it('is reachable for Prometheus by the network policy', () => {
    const policies = readFileSync(join(DEPLOY, 'kubernetes/network-policies.yaml'), 'utf8');
    const [, own] = parseAllDocuments(policies).map((one) => one.toJS());
    const [{ ports }] = replicas.spec.template.spec.containers;
    const { containerPort } = ports.find(({ name }: { readonly name: string }) => name === endpoint.port);
    const opened = own.spec.ingress.find(
      ({ ports: [{ port }] }: { readonly ports: readonly [{ readonly port: number }] }) => port === containerPort,
    );
    expect(opened.from).to.deep.equal([
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } },
    ]);
  });

  if (KUBECTL === undefined) {
    process.stdout.write('kubectl is not there: what kustomize makes of deploy/kubernetes/monitoring is left out.\n');
    return;
  }

  it('builds with kustomize', () => {
    const made = parseAllDocuments(execFileSync(KUBECTL, ['kustomize', FOLDER], { encoding: 'utf8' }));
    expect(made.map((one) => one.toJS().kind)).to.deep.equal(['PodMonitor', 'PrometheusRule']);
    expect(made.map((one) => one.toJS().metadata.namespace)).to.deep.equal(['signing', 'signing']);
  });
});
