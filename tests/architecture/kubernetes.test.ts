import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import type { StatefulSet } from 'kubernetes-types/apps/v1.d.ts';
import type { Container, Namespace, PodSpec, Probe, Service, ServiceAccount } from 'kubernetes-types/core/v1.d.ts';
import type { NetworkPolicy } from 'kubernetes-types/networking/v1.d.ts';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.d.ts';
import { parse, parseAllDocuments } from 'yaml';
import { readSettings } from '../../src/app/settings/settings.ts';
import { installedProgram } from '../programs/installed-program.ts';
import { PROJECT_ROOT } from '../project-root.ts';

/** An object of a manifest. */
interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly [field: string]: unknown };
}

/** Path of the kinds of an API group and version in `kubernetes-types`. */
const MODULES: { readonly [apiVersion: string]: string } = {
  v1: 'core/v1',
  'apps/v1': 'apps/v1',
  'policy/v1': 'policy/v1',
  'networking.k8s.io/v1': 'networking/v1',
};

const COMPILER_OPTIONS = {
  ...{ strict: true, noEmit: true, skipLibCheck: true, types: [], module: 'esnext', moduleResolution: 'bundler' },
  target: 'es2023',
};

/**
 * Compiles objects against Kubernetes' generated types, which finds unknown fields, wrong types and
 * invalid values.
 * @returns compiler output; empty if valid
 */
function findKubernetesIssues(objects: readonly KubernetesObject[]): string {
  const build = join(PROJECT_ROOT, 'build');
  mkdirSync(build, { recursive: true });
  const folder = mkdtempSync(join(build, 'manifests-'));
  try {
    writeFileSync(join(folder, 'manifests.ts'), objects.map(declaration).join('\n'));
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS }));
    const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
    const { stdout, stderr } = spawnSync(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], {
      encoding: 'utf8',
    });
    return `${stdout}${stderr}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function declaration(object: KubernetesObject, index: number): string {
  const module = MODULES[object.apiVersion];
  if (module === undefined) return `const object${index}: never = '${object.apiVersion} is not known here';`;
  return `const object${index}: import('kubernetes-types/${module}').${object.kind} = ${JSON.stringify(object, null, 2)};`;
}

/** Builds a folder with kustomize, without a cluster. */
function kustomized(kubectl: string, folder: string): string {
  return execFileSync(kubectl, ['kustomize', folder], { encoding: 'utf8' });
}

const FOLDER = join(PROJECT_ROOT, 'deploy/kubernetes');
const KUBECTL = installedProgram('kubectl');

function read(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}

/** kubectl reads YAML 1.1, in which 0440 is octal. */
function objectsIn(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text, { version: '1.1', merge: true }).map((document) => document.toJS());
}

describe('deploy/kubernetes', () => {
  const kustomization = parse(read('kustomization.yaml'));
  const objects: readonly KubernetesObject[] = kustomization.resources.flatMap((file: string) => objectsIn(read(file)));
  const every = <Kind>(kind: string): readonly Kind[] =>
    objects.filter((object) => object.kind === kind) as readonly unknown[] as readonly Kind[];
  const [replicas] = every<StatefulSet>('StatefulSet');
  const pod = replicas?.spec?.template.spec as PodSpec;
  const [container] = pod.containers as [Container];
  const labels = replicas?.spec?.template.metadata?.labels ?? {};
  const settings = Object.fromEntries(
    read('settings.env')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => line.split(/=(.*)/s, 2)),
  );
  const volumeOf = (mountPath: string) => {
    const mount = container.volumeMounts?.find((one) => mountPath.startsWith(one.mountPath));
    return { mount, secret: pod.volumes?.find(({ name }) => name === mount?.name)?.secret };
  };

  it('references each of its files, and only existing files', () => {
    const named = [
      ...kustomization.resources,
      ...kustomization.configMapGenerator.flatMap((one: { readonly envs: readonly string[] }) => one.envs),
    ];
    const files = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isFile());
    expect([...named, 'kustomization.yaml'].sort()).to.deep.equal(files.map(({ name }) => name).sort());
  });

  it('consists of valid objects of the Kubernetes API', () => {
    expect(findKubernetesIssues(objects)).to.equal('');
  });

  it('fails the check for an unknown field or a value of the wrong type (control)', () => {
    const [service] = every<KubernetesObject>('Service');
    const planted = [
      { ...service, spec: { selektor: {} } },
      { ...service, spec: { ports: [{ port: '443' }] } },
    ] as readonly unknown[] as readonly KubernetesObject[];
    const issues = findKubernetesIssues(planted);
    expect(issues).to.include('selektor').and.include("'string' is not assignable to type 'number'");
  });

  it('has valid production settings, and finds the keys at their mount paths', () => {
    const environment = {
      ...settings,
      NODE_ENV: 'production',
      SIGNING_HOST: '0.0.0.0',
      SIGNING_INSTANCE_ID: 'signing-0',
    };
    const taken = readSettings(
      environment,
      (file) => container.volumeMounts?.some((one) => one.mountPath === file) ?? false,
    );
    const files = {
      master: taken.masterKeyFile,
      cert: settings['SIGNING_TLS_CERT_FILE'],
      key: settings['SIGNING_TLS_KEY_FILE'],
    };
    expect(volumeOf(files.master).secret?.secretName).to.equal('signing-keys');
    expect(volumeOf(files.cert ?? '').secret?.secretName).to.equal('signing-tls');
    expect(volumeOf(files.key ?? '').secret?.secretName).to.equal('signing-tls');
    expect(volumeOf(taken.auditKeyFile).secret?.secretName).to.equal('signing-audit-keys');
    expect(volumeOf(join('/app', taken.credentialsFile)).secret?.secretName).to.equal('signing-credentials');
    expect(volumeOf(join('/app', taken.auditFile)).mount?.name).to.equal(
      replicas?.spec?.volumeClaimTemplates?.[0]?.metadata?.name,
    );
    const ports = Object.fromEntries((container.ports ?? []).map((port) => [port.name, port.containerPort]));
    expect(ports).to.deep.equal({ https: taken.port, operators: taken.admin?.port });
    expect(taken.admin?.host, 'so that the monitoring reaches it').to.equal('0.0.0.0');
  });

  it('gives each replica its own name, audit key and volume', () => {
    const name = container.env?.find((one) => one.name === 'SIGNING_INSTANCE_ID');
    expect(name?.valueFrom?.fieldRef?.fieldPath).to.equal('metadata.name');
    expect(volumeOf('/run/secrets/audit-key').mount?.subPathExpr).to.equal('$(SIGNING_INSTANCE_ID).audit.key');
    expect(replicas?.spec?.volumeClaimTemplates).to.have.lengthOf(1);
    expect(container.env?.map((one) => one.name)).to.deep.equal(['SIGNING_INSTANCE_ID']);
    expect(container.envFrom?.map((one) => one.configMapRef?.name)).to.deep.equal([
      kustomization.configMapGenerator[0].name,
    ]);
  });

  it('mounts secrets read-only for root and the image group, and renewed ones as folders', () => {
    for (const { secret, name } of pod.volumes ?? []) expect(secret?.defaultMode, name).to.equal(0o440);
    for (const { name, mountPath, readOnly, subPathExpr } of container.volumeMounts ?? []) {
      if (name !== 'audit') expect(readOnly, mountPath).to.equal(true);
      if (name !== 'audit-keys') expect(subPathExpr, mountPath).to.equal(undefined);
    }
  });

  it('runs as the user of the image with minimal privileges', () => {
    expect(pod.securityContext).to.deep.equal({
      runAsNonRoot: true,
      runAsUser: 10_001,
      runAsGroup: 10_001,
      fsGroup: 10_001,
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(readFileSync(join(PROJECT_ROOT, 'Dockerfile'), 'utf8')).to.match(/^USER 10001:10001$/m);
    const [account] = every<ServiceAccount>('ServiceAccount');
    expect([pod.serviceAccountName, pod.automountServiceAccountToken]).to.deep.equal([account?.metadata?.name, false]);
    expect(account?.automountServiceAccountToken).to.equal(false);
    expect([pod.hostNetwork, pod.hostPID, pod.hostIPC]).to.deep.equal([undefined, undefined, undefined]);
    const [namespace] = every<Namespace>('Namespace');
    expect(namespace?.metadata?.labels?.['pod-security.kubernetes.io/enforce']).to.equal('restricted');
  });

  it('disables Service environment variables, one of which would be SIGNING_PORT', () => {
    expect(() => readSettings({ SIGNING_PORT: 'tcp://10.0.0.1:443' })).to.throw('SIGNING_PORT');
    expect(pod.enableServiceLinks).to.equal(false);
  });

  it('probes over HTTPS: /healthz for startup and liveness, /readyz for readiness', () => {
    const probed = ({ httpGet }: Probe = {}) => [httpGet?.path, httpGet?.port, httpGet?.scheme];
    expect(probed(container.startupProbe)).to.deep.equal(['/healthz', 'https', 'HTTPS']);
    expect(probed(container.livenessProbe)).to.deep.equal(['/healthz', 'https', 'HTTPS']);
    expect(probed(container.readinessProbe)).to.deep.equal(['/readyz', 'https', 'HTTPS']);
  });

  it('allows enough time for a graceful stop, and drains for longer than readiness takes to fail', () => {
    const { drainDelayMs, auditTimeoutMs } = readSettings(settings, () => false);
    const sum = (drainDelayMs + 6000 + 2.25 * auditTimeoutMs + 1000) / 1000;
    expect(pod.terminationGracePeriodSeconds).to.be.at.least(sum);
    const { periodSeconds = 10, failureThreshold = 3 } = container.readinessProbe ?? {};
    expect(drainDelayMs / 1000).to.be.above(periodSeconds * failureThreshold);
    expect(container.lifecycle).to.equal(undefined);
  });

  it('selects its pods everywhere by their labels', () => {
    const selectors = [
      replicas?.spec?.selector.matchLabels,
      ...every<Service>('Service').map(({ spec }) => spec?.selector),
      ...every<PodDisruptionBudget>('PodDisruptionBudget').map(({ spec }) => spec?.selector?.matchLabels),
      ...(pod.topologySpreadConstraints ?? []).map((one) => one.labelSelector?.matchLabels),
    ];
    expect(selectors).to.have.lengthOf(6);
    for (const selector of selectors) expect(selector).to.deep.equal(labels);
    expect(every<Service>('Service').map(({ metadata }) => metadata?.name)).to.include(replicas?.spec?.serviceName);
  });

  it('routes callers to the signing port, and monitoring to the operator port', () => {
    const led = every<Service>('Service').map(({ metadata, spec }) => [
      metadata?.name,
      ...(spec?.ports ?? []).map(({ port, targetPort }) => [port, targetPort]),
    ]);
    expect(led).to.deep.equal([
      ['signer', [443, 'https']],
      [replicas?.spec?.serviceName, [8081, 'operators']],
    ]);
  });

  it('denies all traffic except what its network policy names', () => {
    const [all, own] = every<NetworkPolicy>('NetworkPolicy');
    expect(all?.spec).to.deep.equal({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    expect(own?.spec?.podSelector.matchLabels).to.deep.equal(labels);
    for (const { from } of own?.spec?.ingress ?? [])
      expect(from?.[0]?.namespaceSelector?.matchLabels).to.be.an('object');
    for (const { to } of own?.spec?.egress ?? []) expect(to?.[0]?.podSelector?.matchLabels).to.be.an('object');
    const opened = (own?.spec?.ingress ?? []).flatMap(({ ports = [] }) => ports.map(({ port }) => port));
    expect(opened).to.deep.equal((container.ports ?? []).map((port) => port.containerPort));
  });

  it('runs the image of this version', () => {
    const { version } = JSON.parse(readFileSync(join(PROJECT_ROOT, 'package.json'), 'utf8'));
    expect(kustomization.images).to.deep.equal([{ name: container.image, newTag: version }]);
  });

  if (KUBECTL === undefined) {
    process.stdout.write('kubectl is not there: what kustomize makes of deploy/kubernetes is left out.\n');
    return;
  }

  it('builds with kustomize to the same objects', () => {
    const made = objectsIn(kustomized(KUBECTL, FOLDER));
    expect(findKubernetesIssues(made)).to.equal('');
    const kinds = (some: readonly KubernetesObject[]) => some.map(({ kind }) => kind).sort();
    expect(kinds(made)).to.deep.equal([...kinds(objects), 'ConfigMap'].sort());
  });

  /** What the folder makes with a component uncommented. */
  function builtWith(component: string): readonly KubernetesObject[] {
    const copy = mkdtempSync(join(tmpdir(), 'signing-manifests-'));
    try {
      cpSync(FOLDER, copy, { recursive: true });
      const lines = read('kustomization.yaml')
        .replace('# components:\n', 'components:\n')
        .replace(`#   - components/${component}\n`, `  - components/${component}\n`);
      writeFileSync(join(copy, 'kustomization.yaml'), lines);
      expect(parse(lines).components).to.deep.equal([`components/${component}`]);
      return objectsIn(kustomized(KUBECTL ?? '', copy));
    } finally {
      rmSync(copy, { recursive: true });
    }
  }

  /** The only object of this kind and name. */
  function find<Kind>(made: readonly KubernetesObject[], kind: string): Kind {
    const [found] = made.filter((object) => object.kind === kind && object.metadata.name === 'signing');
    return found as unknown as Kind;
  }

  for (const component of readdirSync(join(FOLDER, 'components'))) {
    it(`lets the pods reach ${component} with its component, without a token for the Kubernetes API`, () => {
      const made = builtWith(component);
      expect(findKubernetesIssues(made)).to.equal('');
      const { egress: before = [], ingress } = find<NetworkPolicy>(objects, 'NetworkPolicy').spec ?? {};
      const { spec: opened } = find<NetworkPolicy>(made, 'NetworkPolicy');
      expect(opened?.ingress).to.deep.equal(ingress);
      expect(opened?.egress?.slice(0, before.length)).to.deep.equal(before);
      const added = opened?.egress?.slice(before.length) ?? [];
      expect(added).to.not.deep.equal([]);
      for (const { to, ports } of added) expect([to?.length, ports?.length], JSON.stringify(to)).to.not.include(0);
      expect(find<ServiceAccount>(made, 'ServiceAccount').automountServiceAccountToken).to.equal(false);
      expect(find<StatefulSet>(made, 'StatefulSet').spec?.template.spec?.automountServiceAccountToken).to.equal(false);
    });
  }

  it('gives the pods a token that only Vault accepts, and the settings that use it', () => {
    const { spec } = find<StatefulSet>(builtWith('vault'), 'StatefulSet').spec?.template ?? {};
    const { env = [], volumeMounts = [] } = spec?.containers[0] ?? {};
    const values = env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
    const { wrappingKeys } = readSettings({ ...settings, ...Object.fromEntries(values) }, () => true);
    const login = wrappingKeys.vault?.login ?? { tokenFile: '' };
    const { mountPath, name } = volumeMounts.find((mount) => mount.name === 'vault') ?? {};
    const [token, authority] = spec?.volumes?.find((volume) => volume.name === name)?.projected?.sources ?? [];
    expect(token?.serviceAccountToken?.audience).to.equal('vault');
    expect('jwtFile' in login && login.jwtFile).to.equal(`${mountPath}/${token?.serviceAccountToken?.path}`);
    expect(wrappingKeys.caFile).to.equal(`${mountPath}/${authority?.configMap?.items?.[0]?.path}`);
  });
});
