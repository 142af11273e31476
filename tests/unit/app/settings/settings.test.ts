import { hostname } from 'node:os';
import { inspect } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { NetworkList, PRIVATE_NETWORKS } from '../../../../src/adapters/http/callers/network-list.ts';
import { SETTING_NAMES } from '../../../../src/app/settings/setting-table.ts';
import { type Environment, readServiceSettings, readSettings } from '../../../../src/app/settings/settings.ts';
import { IDENTIFIER_PATTERN } from '../../../../src/domain/model/account.ts';
import { OperatorError } from '../../../../src/domain/model/errors.ts';

/** Error lines for an invalid environment. */
function issuesOf(environment: Environment): readonly string[] {
  try {
    readSettings(environment);
  } catch (error) {
    expect(error).to.be.instanceOf(OperatorError);
    return (error as OperatorError).message.split('\n');
  }
  return expect.fail('The settings should have been refused.');
}

/**
 * One setting of each kind, and all that stand elsewhere than by their own name: a text, and where
 * its value stands; the value is the text unless it follows.
 */
const READ: readonly (readonly [variable: string, text: string, path: string, value?: unknown])[] = [
  ['SIGNING_PORT', '9443', 'port', 9443],
  ['SIGNING_CREDENTIALS_FILE', '/etc/signing/credentials.json', 'credentialsFile'],
  ['SIGNING_MASTER_KEY_TIMEOUT_MS', '3000', 'wrappingKeys.timeoutMs', 3000],
  ['SIGNING_MASTER_KEY_CA_FILE', '/etc/signing/vault.pem', 'wrappingKeys.caFile'],
  ['SIGNING_VAULT_ADDRESS', 'https://vault.example:8200', 'wrappingKeys.vault.address', 'https://vault.example:8200/'],
  ['SIGNING_VAULT_NAMESPACE', 'trading/eu', 'wrappingKeys.vault.namespace'],
  ['SIGNING_GCP_KMS_ENDPOINT', 'https://kms.example', 'wrappingKeys.gcp.endpoint', 'https://kms.example/'],
  ['SIGNING_GCP_TOKEN_FILE', '/run/gcp/token', 'wrappingKeys.gcp.tokenFile'],
  ['SIGNING_AWS_REGION', 'eu-west-1', 'wrappingKeys.aws.region'],
  [
    'SIGNING_AWS_KMS_ENDPOINT',
    'https://vpce-1.kms.example',
    'wrappingKeys.aws.endpoint',
    'https://vpce-1.kms.example/',
  ],
  ['SIGNING_AWS_CREDENTIALS_FILE', '/run/aws/credentials', 'wrappingKeys.aws.credentialsFile'],
  ['SIGNING_MASTER_KEY_HELPER', '/etc/signing/master-key-helper', 'wrappingKeys.helper'],
  ['SIGNING_VAULT_KUBERNETES_ROLE', 'signing', 'wrappingKeys.vault.login.role'],
  ['SIGNING_VAULT_KUBERNETES_MOUNT', 'cluster-1', 'wrappingKeys.vault.login.mount'],
  ['SIGNING_VAULT_KUBERNETES_TOKEN_FILE', '/run/secrets/service-account', 'wrappingKeys.vault.login.jwtFile'],
  ['SIGNING_AUDIT_ROTATE_BYTES', '1000000000000', 'auditRotateBytes', 1_000_000_000_000],
  ['SIGNING_AUDIT_CHECKPOINT_URL', 'https://auditors.example/checkpoints', 'auditCheckpointUrl'],
  ['SIGNING_LOG_LEVEL', 'warn', 'logLevel'],
  ['SIGNING_LOG_REQUESTS', 'false', 'logRequests', false],
  ['SIGNING_RELOAD_MAX_REMOVED', '0.25', 'reloadMaxRemoved', 0.25],
  ['SIGNING_MAX_BATCH', '25', 'maxBatch', 25],
  ['SIGNING_TLS_CERT_FILE', '/etc/signing/tls.crt', 'tls.certFile'],
  ['SIGNING_TLS_KEY_FILE', '/etc/signing/tls.key', 'tls.keyFile'],
  ['SIGNING_TLS_CLIENT_CA_FILE', '/etc/signing/clients.pem', 'tls.clients.caFile'],
  ['SIGNING_TLS_CLIENT_FINGERPRINTS_FILE', '/etc/signing/clients.txt', 'tls.clients.fingerprintsFile'],
  ['SIGNING_TLS_CLIENT_CERT_HEADER', 'client-cert', 'forwardedCertificates.header'],
  [
    'SIGNING_ALLOWED_NETWORKS',
    '10.1.0.0/16, fd00:1::/32,192.0.2.7',
    'allowedNetworks',
    new NetworkList(['10.1.0.0/16', 'fd00:1::/32', '192.0.2.7']),
  ],
  ['SIGNING_TRUSTED_PROXIES', '10.1.2.3', 'trustedProxies', new NetworkList(['10.1.2.3'])],
  ['SIGNING_ADMIN_HOST', '10.1.0.4', 'admin.host'],
  ['SIGNING_ADMIN_PORT', '9444', 'admin.port', 9444],
  ['SIGNING_RATE_LIMIT_PER_CALLER', '1000', 'rateLimits.perCaller.points', 1000],
  ['SIGNING_RATE_LIMIT_PER_ACCOUNT', '50', 'rateLimits.perAccount.points', 50],
  ['SIGNING_RATE_LIMIT_WINDOW_SECONDS', '60', 'rateLimits.perAccount.windowSeconds', 60],
  ['SIGNING_AUTH', 'required', 'auth.mode'],
  ['SIGNING_AUTH_AUTHORITIES_FILE', '/etc/signing/authorities.txt', 'auth.authoritiesFile'],
  ['SIGNING_AUTH_KEY_FILE', '/run/secrets/answers.key', 'auth.keyFile'],
  ['SIGNING_AUTH_TOKEN_FILE', '/etc/signing/token.txt', 'auth.tokenFile'],
];

const HTTPS = { SIGNING_TLS_CERT_FILE: 'tls.crt', SIGNING_TLS_KEY_FILE: 'tls.key' };
const AUTHORITIES = { SIGNING_TLS_CLIENT_CA_FILE: 'ca.pem' };
const HEADER = { SIGNING_TLS_CLIENT_CERT_HEADER: 'client-cert' };
const VAULT = { SIGNING_VAULT_ADDRESS: 'https://vault.example:8200' };
const TOKEN = { SIGNING_VAULT_TOKEN_FILE: '/run/vault/token' };
const PASSWORD = { SIGNING_REDIS_PASSWORD_FILE: '/run/secrets/redis' };

/** Settings that are valid by themselves, and the issues of their combination. */
const CONFLICTS: readonly (readonly [environment: Environment, ...issues: readonly string[]])[] = [
  [{ SIGNING_ADMIN_HOST: '127.0.0.1' }, 'SIGNING_ADMIN_HOST is set without SIGNING_ADMIN_PORT.'],
  [
    { SIGNING_ADMIN_PORT: '8080' },
    'SIGNING_ADMIN_PORT is the same as SIGNING_PORT; use a different port for each listener.',
  ],
  [
    { SIGNING_TLS_CERT_FILE: 'tls.crt' },
    'SIGNING_TLS_CERT_FILE is set without SIGNING_TLS_KEY_FILE; HTTPS needs both, HTTP neither.',
  ],
  [
    { SIGNING_TLS_KEY_FILE: 'tls.key' },
    'SIGNING_TLS_KEY_FILE is set without SIGNING_TLS_CERT_FILE; HTTPS needs both, HTTP neither.',
  ],
  [
    AUTHORITIES,
    'SIGNING_TLS_CLIENT_CA_FILE is set without SIGNING_TLS_CERT_FILE or SIGNING_TLS_CLIENT_CERT_HEADER; client certificates need HTTPS, or a proxy that forwards them.',
  ],
  [
    { ...HTTPS, SIGNING_TLS_CLIENT_FINGERPRINTS_FILE: 'clients.txt' },
    'SIGNING_TLS_CLIENT_FINGERPRINTS_FILE is set without SIGNING_TLS_CLIENT_CA_FILE.',
  ],
  [
    HEADER,
    'SIGNING_TLS_CLIENT_CERT_HEADER is set without SIGNING_TRUSTED_PROXIES, so no proxy could forward a client certificate.',
    'SIGNING_TLS_CLIENT_CERT_HEADER is set without SIGNING_TLS_CLIENT_CA_FILE, whose authorities verify forwarded client certificates.',
  ],
  [
    VAULT,
    'SIGNING_VAULT_ADDRESS is set without SIGNING_VAULT_TOKEN_FILE or SIGNING_VAULT_KUBERNETES_ROLE or SIGNING_VAULT_APPROLE_ROLE_ID; set one to authenticate.',
  ],
  [
    { ...VAULT, ...TOKEN, SIGNING_VAULT_KUBERNETES_ROLE: 'signing' },
    'SIGNING_VAULT_TOKEN_FILE, SIGNING_VAULT_KUBERNETES_ROLE and SIGNING_VAULT_APPROLE_ROLE_ID exclude each other: keep one way to authenticate.',
  ],
  [TOKEN, 'SIGNING_VAULT_TOKEN_FILE is set without SIGNING_VAULT_ADDRESS.'],
  [
    { ...VAULT, SIGNING_VAULT_APPROLE_ROLE_ID: 'signing' },
    'SIGNING_VAULT_APPROLE_ROLE_ID is set without SIGNING_VAULT_APPROLE_SECRET_ID_FILE; AppRole needs both.',
  ],
  [
    { SIGNING_VAULT_APPROLE_SECRET_ID_FILE: '/run/vault/secret-id' },
    'SIGNING_VAULT_APPROLE_SECRET_ID_FILE is set without SIGNING_VAULT_APPROLE_ROLE_ID; AppRole needs both.',
  ],
  [
    { SIGNING_PKCS11_TOKEN: 'signing' },
    'SIGNING_PKCS11_TOKEN is set without SIGNING_PKCS11_PIN_FILE; a PKCS #11 token needs SIGNING_PKCS11_MODULE, SIGNING_PKCS11_TOKEN and SIGNING_PKCS11_PIN_FILE.',
  ],
  [
    { SIGNING_PKCS11_TOKEN: 'signing', SIGNING_PKCS11_PIN_FILE: 'pin.txt' },
    'SIGNING_PKCS11_PIN_FILE is set without SIGNING_PKCS11_MODULE; a PKCS #11 token needs SIGNING_PKCS11_MODULE, SIGNING_PKCS11_TOKEN and SIGNING_PKCS11_PIN_FILE.',
  ],
  [
    { SIGNING_RATE_LIMIT_WINDOW_SECONDS: '60' },
    'SIGNING_RATE_LIMIT_WINDOW_SECONDS is set without SIGNING_RATE_LIMIT_PER_CALLER or SIGNING_RATE_LIMIT_PER_ACCOUNT.',
  ],
  [PASSWORD, 'SIGNING_REDIS_PASSWORD_FILE is set without SIGNING_REDIS_URL.'],
  [
    { ...PASSWORD, SIGNING_REDIS_URL: 'redis://:s3cret@h' },
    'SIGNING_REDIS_PASSWORD_FILE is set, and SIGNING_REDIS_URL also has a password: remove one.',
  ],
  [
    { NODE_ENV: 'production', SIGNING_ALLOW_PLAINTEXT_KEYS: 'true', SIGNING_KEY_STORE_MODULE: './mock.js' },
    'SIGNING_ALLOW_PLAINTEXT_KEYS is for development and rejected when NODE_ENV is production.',
    'SIGNING_KEY_STORE_MODULE is for reviews and tests and rejected when NODE_ENV is production.',
  ],
];

describe('readSettings', () => {
  it('starts without any variable, only for this machine, with neither HTTPS nor authentication', () => {
    const settings = readSettings({}, () => false);
    expect(settings).to.include({
      host: '127.0.0.1',
      trustedProxies: null,
      tls: null,
      admin: null,
      redis: null,
      production: false,
    });
    expect(settings.auth.mode).to.equal('off');
    expect(settings.allowedNetworks.networks).to.deep.equal(PRIVATE_NETWORKS);
    expect(settings.instanceId).to.equal(IDENTIFIER_PATTERN.test(hostname()) ? hostname() : 'signing-service');
  });

  it('has each value by the name of its variable, or in a group', () => {
    const settings = readSettings(Object.fromEntries(READ));
    for (const [name, text, path, value = text] of READ) {
      expect(settings, name).to.have.deep.nested.property(path, value);
    }
  });

  it('accepts a share as a decimal from 0 to 1 and rejects anything else', () => {
    const shareOf = (text: string) => readSettings({ SIGNING_RELOAD_MAX_REMOVED: text }).reloadMaxRemoved;
    expect(['0', '1', '.5', '0.125'].map(shareOf)).to.deep.equal([0, 1, 0.5, 0.125]);
    for (const text of ['50%', '1.5', '-0.1', '1e-1', '0.']) expect(() => shareOf(text), text).to.throw(OperatorError);
  });

  it('limits no caller if a rate is 0', () => {
    const rates = { SIGNING_RATE_LIMIT_PER_CALLER: '0', SIGNING_RATE_LIMIT_PER_ACCOUNT: '1' };
    const perAccount = { points: 1, windowSeconds: 1 };
    expect(readSettings(rates).rateLimits).to.deep.equal({ perCaller: null, perAccount });
  });

  describe('Redis', () => {
    const addressOf = (url: string) => readSettings({ SIGNING_REDIS_URL: url }).redis?.address;

    it('is set by a URL, without exposing its password', () => {
      const address = addressOf('rediss://signing:p%40ss-w0rd@redis.example:6380/2');
      expect(address).to.include({ host: 'redis.example', port: 6380, isTls: true, database: 2 });
      expect(address?.shown).to.equal('rediss://signing:***@redis.example:6380/2');
      expect(address).to.include({ username: 'signing', password: 'p@ss-w0rd' });
      expect(addressOf('rediss://s3%63ret@h:7000/1')?.shown, 'maybe a password').to.equal('rediss://***@h:7000/1');
      expect(inspect(readSettings({ SIGNING_REDIS_URL: 'redis://:s3cret@h' }), { depth: 9 })).not.to.include('s3cret');
    });

    it('is rejected if the URL is invalid, without showing it', () => {
      const wrong = ['localhost:6379', 'http://h', 'redis://', 'redis://h:99999', 'redis://h/0/1', 'redis://h?db=1'];
      wrong.push('redis://:100%s3cret@h', 'unix:///s3cret');
      for (const url of wrong) {
        const issues = issuesOf({ SIGNING_REDIS_URL: url });
        expect(issues, url).to.have.length(1);
        expect(issues[0]).to.match(/^SIGNING_REDIS_URL must be redis:\/\/host:port, /);
        expect(issues[0]).not.to.include('s3cret');
      }
    });

    it('reads its password from a file instead', () => {
      const SIGNING_REDIS_PASSWORD_FILE = '/run/secrets/redis';
      const { redis } = readSettings({ SIGNING_REDIS_URL: 'redis://user@h', SIGNING_REDIS_PASSWORD_FILE });
      expect(redis?.passwordFile).to.equal('/run/secrets/redis');
    });
  });

  it('reaches a Vault by HTTPS, or by HTTP on this machine only', () => {
    const SIGNING_VAULT_TOKEN_FILE = '/run/vault/token';
    for (const address of ['https://vault.example:8200', 'http://127.0.0.1:8200', 'http://[::1]:8200']) {
      const { vault } = readSettings({ SIGNING_VAULT_ADDRESS: address, SIGNING_VAULT_TOKEN_FILE }).wrappingKeys;
      const login = { tokenFile: SIGNING_VAULT_TOKEN_FILE };
      expect(vault).to.deep.equal({ address: `${address}/`, namespace: null, login });
    }
    for (const address of ['http://vault.example:8200', 'vault.example:8200', 'https://user:pw@vault.example']) {
      const [issue, ...more] = issuesOf({ SIGNING_VAULT_ADDRESS: address, SIGNING_VAULT_TOKEN_FILE });
      expect(more).to.deep.equal([]);
      expect(issue, address).to.include('SIGNING_VAULT_ADDRESS must be an HTTPS URL');
    }
  });

  it('authenticates at a Vault by AppRole', () => {
    const { wrappingKeys } = readSettings({
      SIGNING_VAULT_ADDRESS: 'https://vault.example',
      SIGNING_VAULT_APPROLE_ROLE_ID: 'signing',
      SIGNING_VAULT_APPROLE_SECRET_ID_FILE: '/run/vault/secret-id',
      SIGNING_VAULT_APPROLE_MOUNT: 'approle-1',
    });
    const login = { mount: 'approle-1', roleId: 'signing', secretIdFile: '/run/vault/secret-id' };
    expect(wrappingKeys.vault?.login).to.deep.equal(login);
  });

  it('ignores variables of other programs', () => {
    expect(readSettings({ PATH: '/bin', SIGNINGS: 'x', signing_port: 'x', MY_SIGNING_PORT: 'x' }).port).to.equal(8080);
  });

  it('treats an empty or undefined variable as unset', () => {
    const names = [...SETTING_NAMES, 'SIGNING_NONSENSE', 'CREDENTIALS_DIRECTORY', 'NODE_ENV'];
    expect(readSettings(Object.fromEntries(names.map((name) => [name, ''])))).to.deep.equal(readSettings({}));
    expect(readSettings(Object.fromEntries(names.map((name) => [name, undefined])))).to.deep.equal(readSettings({}));
  });

  describe('rejects an invalid value, and names the valid ones', () => {
    const networks = 'comma-separated networks or addresses, such as 10.0.0.0/8, fd00::/8 or private.';
    /** One setting of each kind. */
    const wrong: readonly (readonly [name: string, fault: string, values: readonly string[]])[] = [
      [
        'SIGNING_PORT',
        'an integer from 0 to 65535.',
        ['65536', '-1', '80.5', '1e3', ' 80', '8080x', '٨٠', '9'.repeat(400)],
      ],
      ['SIGNING_MAX_BATCH', 'an integer from 1 to 10000.', ['0', '10001']],
      [
        'SIGNING_AUDIT_ROTATE_BYTES',
        '0 or an integer from 65536 to 1099511627776.',
        ['1', '65535', '1099511627777', '256M', `${'0'.repeat(15)}0`],
      ],
      ['SIGNING_LOG_LEVEL', 'error, warn or info.', ['debug', 'INFO', ' info', 'error,warn']],
      ['SIGNING_WATCH', 'true or false.', ['yes', '1', 'TRUE', ' true']],
      ['SIGNING_ALLOWED_NETWORKS', networks, ['10.0.0.0/33', 'fd00::/129', 'internal', '10.0.0.0/8,', '::1%eth0']],
      [
        'SIGNING_INSTANCE_ID',
        '1 to 128 letters, digits or . _ : @ + -, starting with a letter or digit.',
        ['-a', 'a b', 'a/b', 'a\nb', 'a'.repeat(129), 'é'],
      ],
    ];
    for (const [name, issue, values] of wrong) {
      it(name, () => {
        for (const value of values) {
          expect(issuesOf({ [name]: value }), value).to.deep.equal([`${name} must be ${issue}`]);
        }
      });
    }
  });

  it('accepts the ends of a range', () => {
    for (const port of [0, 65_535]) expect(readSettings({ SIGNING_PORT: String(port) }).port).to.equal(port);
    for (const bytes of [0, 65_536, 1_099_511_627_776]) {
      expect(readSettings({ SIGNING_AUDIT_ROTATE_BYTES: String(bytes) }).auditRotateBytes).to.equal(bytes);
    }
  });

  describe('unknown names', () => {
    it('one typo away from a setting are rejected with that setting', () => {
      const slips = fc
        .tuple(fc.constantFrom(...SETTING_NAMES), fc.nat(), fc.constantFrom('Z', ''), fc.boolean())
        .map(([name, place, text, replaces]) => {
          const at = 'SIGNING_'.length + (place % (name.length - 'SIGNING_'.length));
          const isInsertion = text !== '' && !replaces;
          return { name, slip: name.slice(0, at) + text + name.slice(isInsertion ? at : at + 1) };
        });
      fc.assert(
        fc.property(slips, ({ name, slip }) => {
          expect(issuesOf({ [slip]: 'x' })).to.deep.equal([
            `${slip} is not a setting of this service. Did you mean ${name}?`,
          ]);
        }),
        { numRuns: 30 },
      );
    });

    it('unlike any setting are rejected without a suggestion', () => {
      expect(issuesOf({ SIGNING_: 'x' })).to.deep.equal(['SIGNING_ is not a setting of this service.']);
      expect(issuesOf({ SIGNING_SOMETHING_ELSE_ALTOGETHER: 'x' })).to.deep.equal([
        'SIGNING_SOMETHING_ELSE_ALTOGETHER is not a setting of this service.',
      ]);
    });
  });

  it('allows the private networks if they are named next to others', () => {
    const { allowedNetworks } = readSettings({ SIGNING_ALLOWED_NETWORKS: 'private, 203.0.113.0/24' });
    expect(allowedNetworks.networks).to.deep.equal([...PRIVATE_NETWORKS, '203.0.113.0/24']);
  });

  it('rejects a network with bits set after its prefix, and names both possible meanings', () => {
    for (const name of ['SIGNING_ALLOWED_NETWORKS', 'SIGNING_TRUSTED_PROXIES']) {
      expect(issuesOf({ [name]: '192.168.0.0/16, 10.0.0.5/8' })).to.deep.equal([
        `${name} must be networks without host bits: 10.0.0.5/8 is either 10.0.0.0/8 or the address 10.0.0.5.`,
      ]);
    }
  });

  it('needs no HTTPS for client certificates that proxies forward', () => {
    const forwarded = { ...AUTHORITIES, ...HEADER, SIGNING_TRUSTED_PROXIES: '10.1.2.3' };
    const { tls, forwardedCertificates } = readSettings(forwarded);
    expect(tls).to.equal(null);
    expect(forwardedCertificates?.header).to.equal('client-cert');
    const off = { ...forwarded, ...HTTPS, SIGNING_TLS_CLIENT_CERT_HEADER: 'off' };
    expect(readSettings(off).forwardedCertificates).to.equal(null);
  });

  describe('rejects settings that contradict each other', () => {
    for (const [environment, ...issues] of CONFLICTS) {
      it(Object.keys(environment).join(', '), () => expect(issuesOf(environment)).to.deep.equal(issues));
    }
  });

  it('accepts a setting for development in production if it is off', () => {
    const environment = { NODE_ENV: 'production', SIGNING_ALLOW_PLAINTEXT_KEYS: 'false' };
    expect(readSettings(environment).allowPlaintextKeys).to.equal(false);
  });

  it('keeps the copy of checkpoints apart from the audit files', () => {
    const withCopy = (copy: string) => ({
      SIGNING_AUDIT_FILE: '/a/audit.jsonl',
      SIGNING_AUDIT_CHECKPOINT_FILE: copy,
    });
    for (const name of ['/a/audit.jsonl', '/a/audit.jsonl.checkpoints', '/a/./audit.jsonl', '/b/../a//audit.jsonl']) {
      expect(issuesOf(withCopy(name)), name).to.deep.equal([
        'SIGNING_AUDIT_CHECKPOINT_FILE has a name of an audit file: use another folder or name.',
      ]);
    }
    expect(readSettings(withCopy('/a/checkpoints.jsonl')).auditCheckpointFile).to.equal('/a/checkpoints.jsonl');
  });

  it('reports all issues at once', () => {
    const issues = issuesOf({
      NODE_ENV: 'production',
      SIGNING_PORT: 'http',
      SIGNING_LOG_LEVEL: 'loud',
      SIGNING_AUDIT_FIEL: 'x',
      SIGNING_TLS_CERT_FILE: 'tls.crt',
      SIGNING_ALLOW_PLAINTEXT_KEYS: 'true',
      SIGNING_KEY_STORE_MODULE: './mock.js',
    });
    expect(issues.map((issue) => issue.split(' ')[0])).to.have.members([
      'SIGNING_AUDIT_FIEL',
      'SIGNING_PORT',
      'SIGNING_LOG_LEVEL',
      'SIGNING_TLS_CERT_FILE',
      'SIGNING_ALLOW_PLAINTEXT_KEYS',
      'SIGNING_KEY_STORE_MODULE',
    ]);
  });

  it('never repeats a value: it may be a misplaced secret', () => {
    const secret = 'f00dfacef00dface';
    for (const name of [...SETTING_NAMES, 'SIGNING_NONSENSE']) {
      const environment = { NODE_ENV: 'production', SIGNING_PORT: 'http', [name]: secret };
      expect(issuesOf(environment).join('\n'), name).not.to.contain(secret);
    }
  });

  describe('the master key file, if no setting names it', () => {
    const placed =
      (...files: string[]) =>
      (file: string) =>
        files.includes(file);
    const systemd = { CREDENTIALS_DIRECTORY: '/run/credentials/signing.service' };
    const fromSystemd = '/run/credentials/signing.service/master-key';

    it('is the systemd credential, else the one that Docker and Kubernetes mount, else that of config', () => {
      const mounted = '/run/secrets/master-key';
      expect(readSettings(systemd, placed(mounted, fromSystemd)).masterKeyFile).to.equal(fromSystemd);
      expect(readSettings(systemd, placed(mounted)).masterKeyFile).to.equal(mounted);
      expect(readSettings({}, placed(fromSystemd)).masterKeyFile).to.equal('config/master.key');
    });

    it('is the one that the setting names, even if a credential exists', () => {
      const environment = { ...systemd, SIGNING_MASTER_KEY_FILE: 'own.key' };
      expect(readSettings(environment, () => true).masterKeyFile).to.equal('own.key');
    });

    it('is looked up independently of the keys for records and responses, found in the same places', () => {
      const [auditKey, authKey] = ['audit-key', 'auth-key'].map((name) => `/run/credentials/signing.service/${name}`);
      const settings = readSettings(systemd, placed(auditKey ?? '', authKey ?? ''));
      expect(settings.masterKeyFile).to.equal('config/master.key');
      expect([settings.auditKeyFile, settings.auth.keyFile]).to.deep.equal([auditKey, authKey]);
    });
  });
});

describe('readServiceSettings', () => {
  it('rejects files of access tokens while these are off, which commands accept', () => {
    for (const name of ['SIGNING_AUTH_AUTHORITIES_FILE', 'SIGNING_AUTH_KEY_FILE', 'SIGNING_AUTH_TOKEN_FILE']) {
      expect(() => readServiceSettings({ [name]: 'f', SIGNING_AUTH: 'off' })).to.throw(
        OperatorError,
        `${name} is set while SIGNING_AUTH is off, so no caller would be authenticated: set SIGNING_AUTH to optional or required, or remove it.`,
      );
      expect(readSettings({ [name]: 'f' }).auth.mode).to.equal('off');
      expect(readServiceSettings({ [name]: 'f', SIGNING_AUTH: 'optional' }).auth.mode).to.equal('optional');
    }
  });

  it('rejects a malformed endpoint of traces, which commands do not use', () => {
    for (const endpoint of ['collector:4318', 'grpc://collector', 'x']) {
      const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
      expect(() => readServiceSettings(environment)).to.throw(OperatorError, 'OTEL_EXPORTER_OTLP_ENDPOINT must be');
      expect(readSettings(environment).traceEndpoint).to.equal(endpoint);
      expect(() => readServiceSettings({ ...environment, OTEL_SDK_DISABLED: 'true' })).not.to.throw();
    }
  });
});

describe('The variables of OpenTelemetry', () => {
  const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:Xy7-pass@collector:4318' };

  it('send traces when an endpoint is set, unless they are disabled', () => {
    const endpointOf = (environment: Environment) => readSettings(environment).traceEndpoint;
    expect(endpointOf({})).to.equal(null);
    expect(endpointOf({ OTEL_EXPORTER_OTLP_ENDPOINT: '' })).to.equal(null);
    expect(endpointOf(COLLECTOR)).to.equal(COLLECTOR.OTEL_EXPORTER_OTLP_ENDPOINT);
    const both = { ...COLLECTOR, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces/v1' };
    expect(endpointOf(both)).to.equal('https://traces/v1');
    expect(endpointOf({ ...both, OTEL_SDK_DISABLED: 'True' })).to.equal(null);
    expect(endpointOf({ ...both, OTEL_TRACES_EXPORTER: 'none' })).to.equal(null);
  });

  it('are not shown with the settings', () => {
    expect(JSON.stringify(readSettings(COLLECTOR).shown)).not.to.include('Xy7-pass');
  });
});
