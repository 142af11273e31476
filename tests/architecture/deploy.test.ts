import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { MAX_BODY_BYTES } from '../../src/adapters/http/limits.ts';
import { REFUSALS } from '../../src/adapters/http/refusals.ts';
import { readSettings } from '../../src/app/settings/settings.ts';
import { RECORD_EVENTS } from '../../src/domain/model/audit-entry.ts';
import { dockerfileCommand } from '../harness/start-options.ts';
import { itWithPromtool, promtool } from '../metrics/promtool.ts';
import { installedProgram } from '../programs/installed-program.ts';
import { PROJECT_ROOT, readProjectFile } from '../project-root.ts';

const UNIT = 'deploy/systemd/signing-service.service';
const UNITS = [UNIT, ...readdirSync(join(PROJECT_ROOT, `${UNIT}.d`)).map((name) => `${UNIT}.d/${name}`)];

type Environment = { readonly [name: string]: string };

/** Values of a key in a unit. */
function unitValues(file: string, key: string): readonly string[] {
  const lines = readProjectFile(file).matchAll(new RegExp(`^${key}=(.*)$`, 'gm'));
  return [...lines].map(([, value = '']) => value);
}

function toEnvironment(assignments: readonly string[]): Environment {
  return Object.fromEntries(assignments.map((assignment) => assignment.split(/=(.*)/s, 2)));
}

function unitEnvironment(file: string): Environment {
  return toEnvironment([UNIT, file].flatMap((one) => unitValues(one, 'Environment')));
}

/** Seconds that a stop may take: drain, requests in flight, audit records, Redis. */
function stopSeconds(environment: Environment): number {
  const { drainDelayMs, auditTimeoutMs } = readSettings(environment, () => false);
  return (drainDelayMs + 6000 + 2.25 * auditTimeoutMs + 1000) / 1000;
}

describe(UNIT, () => {
  it('starts the program of the image with the same options', () => {
    const [, ...options] = unitValues(UNIT, 'ExecStart').join().split(' ');
    expect(options).to.deep.equal(dockerfileCommand('CMD ').slice(1));
  });

  for (const file of UNITS) {
    it(`has valid settings, and loads only credentials that the service reads: ${file}`, () => {
      const environment = { ...unitEnvironment(file), CREDENTIALS_DIRECTORY: '/credentials' };
      const settings = readSettings(environment, () => true);
      expect(settings.production).to.equal(true);
      const read = [settings.masterKeyFile, settings.auditKeyFile, settings.auth.keyFile];
      for (const one of unitValues(file, 'LoadCredential'))
        expect(read).to.include(`/credentials/${one.split(':')[0]}`);
    });
  }

  it('allows a stop its time, and the networks that the service allows by default', () => {
    expect(Number(unitValues(UNIT, 'TimeoutStopSec'))).to.be.at.least(stopSeconds(unitEnvironment(UNIT)));
    const names: { readonly [name: string]: readonly string[] } = {
      localhost: ['127.0.0.0/8', '::1'],
      'link-local': ['169.254.0.0/16', 'fe80::/10'],
    };
    const networks = unitValues(UNIT, 'IPAddressAllow').join(' ').split(' ');
    expect(networks.flatMap((name) => names[name] ?? [name])).to.have.members([
      ...readSettings({}).allowedNetworks.networks,
    ]);
  });

  const analyze = installedProgram('systemd-analyze');
  if (analyze === undefined) {
    process.stdout.write('systemd-analyze is not there: its rating of the unit is left out.\n');
    return;
  }

  it('has no unknown key and an exposure of at most 1.2 of 10, by systemd-analyze', () => {
    const rating = ['security', '--offline=true', '--threshold=12', '--no-pager', join(PROJECT_ROOT, UNIT)];
    const { status, stderr } = spawnSync(analyze, rating, { encoding: 'utf8' });
    expect([status, stderr]).to.deep.equal([0, '']);
  });
});

describe('deploy/compose.yaml', () => {
  const compose = parse(readProjectFile('deploy/compose.yaml'), { merge: true });
  const nginx = readProjectFile('deploy/nginx/nginx.conf');

  for (const name of ['signing-1', 'signing-2']) {
    it(`starts ${name} with valid settings, and its own audit chain`, () => {
      const replica = compose.services[name];
      const settings = readSettings(replica.environment, () => true);
      expect(settings).to.include({ production: true, instanceId: name });
      expect(settings.trustedProxies?.networks).to.deep.equal([compose.services.nginx.networks.inside.ipv4_address]);
      expect(replica.volumes).to.deep.equal(['./config:/app/config:ro', `audit-${name.at(-1)}:/app/var`]);
      expect(replica.healthcheck.test.slice(1)).to.deep.equal(dockerfileCommand('HEALTHCHECK '));
      expect(nginx.split(`server ${replica.networks.inside.ipv4_address}:${settings.port} `)).to.have.lengthOf(3);
    });
  }

  it("makes nginx respond with the service's error codes and limits", () => {
    const [, mebibytes] = /client_max_body_size (\d+)m;/.exec(nginx) ?? [];
    expect(Number(mebibytes) * 2 ** 20).to.equal(MAX_BODY_BYTES);
    const responses = [...nginx.matchAll(/return (\d+) '(.+)';/g)];
    expect(responses).to.have.length.above(5);
    for (const [, status, body = ''] of responses) {
      const { code } = JSON.parse(body.replace('$allowed_list', '[]')).error;
      expect(Object.values(REFUSALS).find((row) => row.code === code)?.status, code).to.equal(Number(status));
    }
  });

  itWithPromtool('has a valid configuration of Prometheus, with the rules', async () => {
    const output = await promtool(join(PROJECT_ROOT, 'deploy/prometheus'), [
      'check',
      'config',
      'prometheus.compose.yml',
    ]);
    expect(output).to.include('rules found').and.include('SUCCESS');
  });
});

describe('deploy/kubernetes', () => {
  const replicas = parse(readProjectFile('deploy/kubernetes/statefulset.yaml'));
  const pod = replicas.spec.template.spec;
  const [container] = pod.containers;
  const lines = readProjectFile('deploy/kubernetes/settings.env').split('\n');
  const settings = toEnvironment(lines.filter((line) => /^[A-Z]/.test(line)));

  it('has valid production settings, whose files and ports the pods have', () => {
    const environment = { ...settings, NODE_ENV: 'production', SIGNING_HOST: '0.0.0.0', SIGNING_INSTANCE_ID: 'a-0' };
    const mounts: readonly { readonly mountPath: string; readonly name: string }[] = container.volumeMounts;
    const taken = readSettings(environment, (file) => mounts.some(({ mountPath }) => mountPath === file));
    const mounted = [
      ...[taken.masterKeyFile, taken.tls?.certFile, taken.tls?.keyFile, taken.auditKeyFile],
      ...[join('/app', taken.credentialsFile), join('/app', taken.auditFile)],
    ].map((file) => mounts.find(({ mountPath }) => file?.startsWith(mountPath))?.name);
    expect(mounted).to.deep.equal(['keys', 'tls', 'tls', 'audit-keys', 'credentials', 'audit']);
    const ports = container.ports.map(({ containerPort }: { readonly containerPort: number }) => containerPort);
    expect(ports).to.deep.equal([taken.port, taken.admin?.port]);
  });

  it('allows a stop its time, and drains for longer than readiness takes to fail', () => {
    expect(pod.terminationGracePeriodSeconds).to.be.at.least(stopSeconds(settings));
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(Number(settings['SIGNING_DRAIN_DELAY_MS']) / 1000).to.be.above(periodSeconds * failureThreshold);
  });
});

describe('Dockerfile', () => {
  const text = readProjectFile('Dockerfile');

  it('compiles libsecp256k1 in constant time, and hides the memory of node from its user', () => {
    expect(text.match(/ CFLAGS=-O1 (?:\S+=\S+ )*npm rebuild secp256k1-native;/g)).to.have.lengthOf(1);
    expect(text).to.include('install -D --mode=0711 /usr/local/bin/node /image/usr/local/bin/node');
  });
});

describe('Audit records in a SIEM', () => {
  const page = readProjectFile('docs/auditors/siem.md');

  it('are mapped by fields that they have, and for every event', () => {
    const { properties } = JSON.parse(readProjectFile('config/audit-record.schema.json'));
    const program: string = parse(readProjectFile('deploy/vector/vector.yaml')).transforms.ecs.source;
    const [, named = ''] = program.match(/named = \[([^\]]*)\]/) ?? [];
    const fields = [...program.matchAll(/record\.(\w+)/g), ...named.matchAll(/"(\w+)"/g)].map(([, field]) =>
      String(field),
    );
    expect(properties).to.include.all.keys(...fields);
    for (const field of fields) expect(page).to.include(`\n| \`${field}\` |`);
    for (const event of RECORD_EVENTS) expect(page).to.include(`\`${event}\``);
  });
});
