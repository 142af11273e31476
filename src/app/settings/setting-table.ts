import { hostname } from 'node:os';
import { CERTIFICATE_HEADERS } from '../../adapters/http/tls/forwarded-certificate.ts';
import { IDENTIFIER_PATTERN } from '../../domain/model/account.ts';
import {
  flag,
  fraction,
  headerText,
  identifier,
  networks,
  oneOf,
  redisUrl,
  serviceUrl,
  type ValueFormat,
  wholeNumber,
  zeroOrWholeNumber,
} from './setting-values.ts';

/** An environment variable `SIGNING_…`. */
export interface Setting<Name extends string = SettingName> {
  /** Absent: any text, such as a path. */
  readonly value?: ValueFormat<unknown>;
  /** Text of an unset variable; absent: no value. */
  readonly default?: string;
  /** How the default is determined, in Markdown, if it depends on the machine. */
  readonly shownDefault?: string;
  /** Name of a secret that an orchestrator may inject: then its path is the default. */
  readonly injectedAs?: string;
  /** Markdown for docs/operators/configure.md: whole sentences. */
  readonly help: string;
  /** What must be set if this is; `off`, `false` and defaults do not count as set. */
  readonly requires?: readonly Requirement<Name>[];
  /** Its purpose elsewhere: production rejects it if it is set. */
  readonly notInProduction?: string;
}

/** Another setting that must be set. */
export interface Requirement<Name extends string = SettingName> {
  readonly anyOf: readonly Name[];
  /** The issue if none is, after the name of the setting that requires it. */
  readonly otherwise: string;
  /** Commands do not require it. */
  readonly byServiceAlone?: true;
}

/** @param more end of the sentence: the reason or remedy */
function without<const Name extends string>(names: readonly Name[], more = ''): Requirement<Name> {
  return { anyOf: names, otherwise: `is set without ${names.join(' or ')}${more}.` };
}

const MAX_PORT = 65_535;
const KIB = 2 ** 10;
const TIB = 2 ** 40;
const MAX_POINTS = 1_000_000;

const HTTPS = '; HTTPS needs both, HTTP neither';
const APPROLE = '; AppRole needs both';
const PKCS11 = '; a PKCS #11 token needs SIGNING_PKCS11_MODULE, SIGNING_PKCS11_TOKEN and SIGNING_PKCS11_PIN_FILE';
const VAULT = without(['SIGNING_VAULT_ADDRESS']);

/** `token` commands create the files while SIGNING_AUTH is off. */
const AUTHENTICATION = {
  anyOf: ['SIGNING_AUTH'],
  otherwise:
    'is set while SIGNING_AUTH is off, so no caller would be authenticated: set SIGNING_AUTH to optional or required, or remove it.',
  byServiceAlone: true,
} as const;

/** See {@link SETTING_GROUPS}. */
const GROUPS = {
  'Network and TLS': {
    SIGNING_HOST: { default: '127.0.0.1', help: 'Address to listen on.' },
    SIGNING_PORT: {
      value: wholeNumber(0, MAX_PORT),
      default: '8080',
      help: 'Port to listen on; 0 selects a free one.',
    },
    SIGNING_ADMIN_HOST: {
      default: '127.0.0.1',
      help: "Address of the operators' port.",
      requires: [without(['SIGNING_ADMIN_PORT'])],
    },
    SIGNING_ADMIN_PORT: {
      value: wholeNumber(0, MAX_PORT),
      help: "Operators' port: a second listener for reload, status and metrics, which the main port then does not serve; 0 selects a free one.",
    },
    SIGNING_CONSOLE: {
      value: flag,
      default: 'true',
      help: "The read-only console for browsers: `/` of the operators' port, else `/console`. Needs the permission `status`.",
    },
    SIGNING_TLS_CERT_FILE: {
      help: 'PEM certificate chain. With it and its key, the service uses HTTPS (TLS 1.2 or newer).',
      requires: [without(['SIGNING_TLS_KEY_FILE'], HTTPS)],
    },
    SIGNING_TLS_KEY_FILE: {
      help: 'PEM private key of that certificate.',
      requires: [without(['SIGNING_TLS_CERT_FILE'], HTTPS)],
    },
    SIGNING_TLS_CLIENT_CA_FILE: {
      help: 'PEM certificates of the authorities that issue client certificates. With it, callers need a client certificate (mutual TLS).',
      requires: [
        without(
          ['SIGNING_TLS_CERT_FILE', 'SIGNING_TLS_CLIENT_CERT_HEADER'],
          '; client certificates need HTTPS, or a proxy that forwards them',
        ),
      ],
    },
    SIGNING_TLS_CLIENT_FINGERPRINTS_FILE: {
      help: 'SHA-256 fingerprints, one per line, `#` for comments: only these client certificates are accepted.',
      requires: [without(['SIGNING_TLS_CLIENT_CA_FILE'])],
    },
    SIGNING_TLS_CLIENT_CERT_HEADER: {
      value: oneOf('off', ...CERTIFICATE_HEADERS),
      default: 'off',
      help: 'Header in which trusted proxies forward the client certificate of a caller: `client-cert` (RFC 9440), or `x-ssl-client-cert` (PEM, percent-encoded, from nginx). The service verifies it like the certificate of a connection.',
      requires: [
        without(['SIGNING_TRUSTED_PROXIES'], ', so no proxy could forward a client certificate'),
        without(['SIGNING_TLS_CLIENT_CA_FILE'], ', whose authorities verify forwarded client certificates'),
      ],
    },
    SIGNING_ALLOWED_NETWORKS: {
      value: networks,
      default: 'private',
      help: 'Networks whose callers are served; `private` means loopback, RFC 1918, link-local and unique local addresses. Host bits must be zero.',
    },
    SIGNING_TRUSTED_PROXIES: {
      value: networks,
      help: 'Proxies whose `X-Forwarded-For` is trusted for the caller address.',
    },
  },
  'Credentials and keys': {
    SIGNING_CREDENTIALS_FILE: {
      default: 'config/credentials.json',
      help: 'Platforms, accounts and their sealed keys.',
    },
    SIGNING_MASTER_KEY_FILE: {
      default: 'config/master.key',
      injectedAs: 'master-key',
      help: 'Master keys, one a line: 64 hex digits, protected by a passphrase, or wrapped by Vault, a KMS or a token. The first seals account keys, every one opens them; mode 0600.',
    },
    SIGNING_MASTER_KEY_TIMEOUT_MS: {
      value: wholeNumber(1000, 120_000),
      default: '10000',
      help: 'Maximum time for Vault, a KMS, a token or a helper to open or wrap master keys, retries included, in milliseconds.',
    },
    SIGNING_MASTER_KEY_CA_FILE: {
      help: 'PEM certificates of the authorities of Vault, the KMS or a proxy, besides those of Node.',
    },
    SIGNING_VAULT_ADDRESS: {
      value: serviceUrl,
      help: 'Vault or OpenBao whose Transit engine wraps the master key.',
      requires: [
        without(
          ['SIGNING_VAULT_TOKEN_FILE', 'SIGNING_VAULT_KUBERNETES_ROLE', 'SIGNING_VAULT_APPROLE_ROLE_ID'],
          '; set one to authenticate',
        ),
      ],
    },
    SIGNING_VAULT_NAMESPACE: { value: headerText, help: 'Namespace of the Transit engine.', requires: [VAULT] },
    SIGNING_VAULT_TOKEN_FILE: {
      help: 'File with a Vault token, such as the sink of Vault Agent; read at each opening; mode 0600.',
      requires: [VAULT],
    },
    SIGNING_VAULT_KUBERNETES_ROLE: {
      value: headerText,
      help: 'Role for Kubernetes authentication, instead of a token file.',
      requires: [VAULT],
    },
    SIGNING_VAULT_KUBERNETES_MOUNT: {
      value: headerText,
      default: 'kubernetes',
      help: 'Mount path of that authentication method.',
    },
    SIGNING_VAULT_KUBERNETES_TOKEN_FILE: {
      default: '/var/run/secrets/kubernetes.io/serviceaccount/token',
      help: 'Token of the service account for that method.',
    },
    SIGNING_VAULT_APPROLE_ROLE_ID: {
      value: headerText,
      help: 'Role ID for AppRole authentication, instead of a token file.',
      requires: [VAULT, without(['SIGNING_VAULT_APPROLE_SECRET_ID_FILE'], APPROLE)],
    },
    SIGNING_VAULT_APPROLE_SECRET_ID_FILE: {
      help: 'File with the secret ID of that role; read at each opening; mode 0600.',
      requires: [without(['SIGNING_VAULT_APPROLE_ROLE_ID'], APPROLE)],
    },
    SIGNING_VAULT_APPROLE_MOUNT: {
      value: headerText,
      default: 'approle',
      help: 'Mount path of that authentication method.',
    },
    SIGNING_GCP_KMS_ENDPOINT: {
      value: serviceUrl,
      default: 'https://cloudkms.googleapis.com',
      help: 'Google Cloud KMS whose key wraps the master key.',
    },
    SIGNING_GCP_TOKEN_FILE: {
      help: 'File with an OAuth 2.0 access token for it, read at each opening, mode 0600; otherwise the Application Default Credentials.',
    },
    SIGNING_AWS_REGION: {
      value: headerText,
      help: 'Region of the AWS KMS key that wraps the master key; otherwise that of its ARN, or that of the AWS configuration.',
    },
    SIGNING_AWS_KMS_ENDPOINT: {
      value: serviceUrl,
      help: 'AWS KMS, such as a VPC endpoint; otherwise `https://kms.<region>.amazonaws.com`.',
    },
    SIGNING_AWS_CREDENTIALS_FILE: {
      help: 'AWS shared credentials file, whose profile `AWS_PROFILE` or `default` is used, read at each opening, mode 0600; otherwise the credentials that the AWS SDK finds.',
    },
    SIGNING_PKCS11_MODULE: {
      help: 'Path of the PKCS #11 library (.so) of the token whose key wraps the master key.',
      requires: [without(['SIGNING_PKCS11_TOKEN'], PKCS11)],
    },
    SIGNING_PKCS11_TOKEN: {
      value: headerText,
      help: 'Label of that token.',
      requires: [without(['SIGNING_PKCS11_PIN_FILE'], PKCS11)],
    },
    SIGNING_PKCS11_PIN_FILE: {
      help: 'File with the user PIN of that token; read at each opening; mode 0600.',
      requires: [without(['SIGNING_PKCS11_MODULE'], PKCS11)],
    },
    SIGNING_MASTER_KEY_HELPER: {
      help: 'Program of your own that wraps the master key; only root and the user of the service can change it.',
    },
    SIGNING_WATCH: {
      value: flag,
      default: 'true',
      help: 'Reload the credentials, key, master key, certificate and token files when they change.',
    },
    SIGNING_RELOAD_MAX_REMOVED: {
      value: fraction,
      help: 'Reject a reload that would remove a larger share of the accounts.',
    },
    SIGNING_MEMORY_LOCK: {
      value: oneOf('require', 'warn'),
      default: 'require',
      help: '`warn` starts the service even if memory for keys cannot be locked: keys could then be written to swap.',
    },
    SIGNING_KEY_REFRESH_SECONDS: {
      value: wholeNumber(1, 86_400),
      default: '300',
      help: 'Interval at which keys in memory are re-encrypted under a new key, in seconds.',
    },
    SIGNING_VERIFY_SIGNATURES: {
      value: flag,
      default: 'false',
      help: 'Verify each signature before it is released, against hardware faults.',
    },
    SIGNING_ALLOW_PLAINTEXT_KEYS: {
      value: flag,
      default: 'false',
      help: 'Allow `"key": {"plaintext": …}`. Development only.',
      notInProduction: 'for development',
    },
    SIGNING_KEY_STORE_MODULE: {
      help: 'Module with another KeyStore, for reviews. Rejected when `NODE_ENV=production`.',
      notInProduction: 'for reviews and tests',
    },
  },
  'Audit log': {
    SIGNING_AUDIT_FILE: { default: 'var/audit/audit.jsonl', help: 'Audit file; each running service needs its own.' },
    SIGNING_AUDIT_KEY_FILE: {
      default: 'config/audit.key',
      injectedAs: 'audit-key',
      help: 'Key that signs audit records, created by `init`; mode 0600.',
    },
    SIGNING_AUDIT_TIMEOUT_MS: {
      value: wholeNumber(100, 60_000),
      default: '2000',
      help: 'Time that a request waits for its durable audit record before it fails, in milliseconds.',
    },
    SIGNING_AUDIT_ROTATE_BYTES: {
      value: zeroOrWholeNumber(64 * KIB, TIB),
      default: '268435456',
      help: 'Size at which the audit file is rotated; 0: never.',
    },
    SIGNING_AUDIT_ROTATE_HOURS: {
      value: wholeNumber(0, 8760),
      default: '0',
      help: 'Age at which the audit file is rotated; 0: never.',
    },
    SIGNING_AUDIT_KEEP_FILES: {
      value: wholeNumber(0, 100_000),
      default: '0',
      help: 'Number of rotated files to keep; older ones are deleted; 0: all. Compressed files are not counted or deleted.',
    },
    SIGNING_AUDIT_CHECKPOINT_FILE: {
      help: 'File on another disk or machine that gets a copy of the audit checkpoints, one JSON line a minute and at each stop.',
    },
    SIGNING_AUDIT_CHECKPOINT_URL: {
      value: serviceUrl,
      help: 'Endpoint that gets the same checkpoints as JSON, by POST.',
    },
  },
  Authentication: {
    SIGNING_AUTH: {
      value: oneOf('off', 'optional', 'required'),
      default: 'off',
      help: 'Whether callers authenticate with access tokens. With `optional`, requests without the header are served anonymously.',
    },
    SIGNING_AUTH_AUTHORITIES_FILE: {
      default: 'config/auth-authorities.txt',
      help: 'Public keys of the authorities that issue tokens, one per line.',
      requires: [AUTHENTICATION],
    },
    SIGNING_AUTH_KEY_FILE: {
      default: 'config/auth.key',
      injectedAs: 'auth-key',
      help: 'Key that signs responses, created by `token issue --service`; mode 0600.',
      requires: [AUTHENTICATION],
    },
    SIGNING_AUTH_TOKEN_FILE: {
      default: 'config/auth-token.txt',
      help: 'Access token of the service.',
      requires: [AUTHENTICATION],
    },
  },
  Limits: {
    SIGNING_MAX_BATCH: { value: wholeNumber(1, 10_000), default: '1000', help: 'Maximum number of items in a batch.' },
    SIGNING_MAX_IN_FLIGHT: {
      value: wholeNumber(1, 100_000),
      default: '2048',
      help: 'Maximum number of signatures in progress: a quarter for single requests, three quarters for batches. A larger batch runs alone.',
    },
    SIGNING_MAX_QUEUE: {
      value: wholeNumber(1, 100_000),
      default: '1024',
      help: 'Maximum number of queued single requests; for batches a sixteenth of it. Beyond it, or after a second (batches: five), 503 `OVERLOADED`.',
    },
    SIGNING_RATE_LIMIT_PER_CALLER: {
      value: wholeNumber(0, MAX_POINTS),
      default: '0',
      help: 'Signatures or other requests per caller and window; 0: no limit. Beyond it, 429 `RATE_LIMITED`.',
    },
    SIGNING_RATE_LIMIT_PER_ACCOUNT: {
      value: wholeNumber(0, MAX_POINTS),
      default: '0',
      help: 'Signatures per account and window; 0: no limit.',
    },
    SIGNING_RATE_LIMIT_WINDOW_SECONDS: {
      value: wholeNumber(1, 86_400),
      default: '1',
      help: 'Length of that window, in seconds.',
      requires: [without(['SIGNING_RATE_LIMIT_PER_CALLER', 'SIGNING_RATE_LIMIT_PER_ACCOUNT'])],
    },
  },
  Operation: {
    SIGNING_LOG_LEVEL: {
      value: oneOf('error', 'warn', 'info'),
      default: 'info',
      help: 'Level of the service log on standard output. Audit checkpoints are logged at `info`.',
    },
    SIGNING_LOG_REQUESTS: {
      value: flag,
      default: 'true',
      help: 'Whether the service log has a line for each request. With `false`, only for responses with a status from 500, once a minute.',
    },
    SIGNING_EXPIRY_WARNING_DAYS: {
      value: wholeNumber(1, 90),
      default: '14',
      help: "The log and the alerts warn this many days before the HTTPS certificate or the service's access token expires.",
    },
    SIGNING_METRICS_ACCOUNTS: {
      value: flag,
      default: 'false',
      help: 'Metrics of signatures and errors per account: two series each.',
    },
    SIGNING_METRICS_CALLERS: {
      value: flag,
      default: 'false',
      help: 'Metrics of signatures and errors per caller, for the principals of the permissions list.',
    },
    SIGNING_DRAIN_DELAY_MS: {
      value: wholeNumber(0, 60_000),
      default: '1000',
      help: 'Time between SIGTERM, when `/readyz` becomes not ready, and the end of accepting requests, in milliseconds.',
    },
    SIGNING_INSTANCE_ID: {
      value: identifier,
      default: IDENTIFIER_PATTERN.test(hostname()) ? hostname() : 'signing-service',
      shownDefault: 'the host name',
      help: 'Unique name of this process in audit records and shared usage counters.',
    },
    SIGNING_REDIS_URL: {
      value: redisUrl,
      help: 'Redis or Valkey through which replicas share usage counters, rate limits, budgets and, with `SIGNING_AUTH`, nonces. Only budgets and `SIGNING_AUTH` depend on it for signing.',
    },
    SIGNING_REDIS_PASSWORD_FILE: {
      help: 'File with the Redis password, instead of one in the URL; read for each connection.',
      requires: [without(['SIGNING_REDIS_URL'])],
    },
  },
} as const satisfies { readonly [group: string]: { readonly [name: `SIGNING_${string}`]: Setting<string> } };

type Groups = typeof GROUPS;

/** Name of a setting: its environment variable. */
export type SettingName = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups];

/** The row of a setting, with the types of its value and default. */
export type SettingRow<Name extends SettingName> = Extract<
  Groups[keyof Groups],
  { readonly [Key in Name]: unknown }
>[Name];

/** All settings by topic, in the order of docs/operators/configure.md. */
export const SETTING_GROUPS: { readonly [group: string]: { readonly [name: string]: Setting } } = GROUPS;

/** All settings by name. */
export const SETTINGS: { readonly [Name in SettingName]: Setting } = Object.assign({}, ...Object.values(GROUPS));

/** Names of all settings, in the order of docs/operators/configure.md. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];
