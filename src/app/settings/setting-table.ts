import { hostname } from 'node:os';
import type { z } from 'zod';
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
  text,
  wholeNumber,
  zeroOrWholeNumber,
} from './setting-values.ts';

/** An environment variable `SIGNING_…`. */
export interface Setting {
  /** Parses the text; its description names the valid texts. */
  readonly value: z.ZodType<unknown, string>;
  /** Text of an unset variable; null: no value. */
  readonly default: string | ComputedDefault | null;
  /** Markdown for docs/operators/configure.md: whole sentences. */
  readonly help: string;
}

/** A default that depends on the environment. */
export interface ComputedDefault {
  /** How it is determined, in Markdown. */
  readonly shown: string;
  /** @param injectedSecret path of a secret that an orchestrator injects, if any */
  find(injectedSecret: (name: string) => string | undefined): string;
}

const MAX_PORT = 65_535;
const KIB = 2 ** 10;
const TIB = 2 ** 40;
const MAX_POINTS = 1_000_000;

/** All settings by topic, in the order of docs/operators/configure.md. */
export const SETTING_GROUPS = {
  'Network and TLS': {
    SIGNING_HOST: { value: text(), default: '127.0.0.1', help: 'Address to listen on.' },
    SIGNING_PORT: {
      value: wholeNumber(0, MAX_PORT),
      default: '8080',
      help: 'Port to listen on; 0 selects a free one.',
    },
    SIGNING_ADMIN_HOST: { value: text(), default: '127.0.0.1', help: "Address of the operators' port." },
    SIGNING_ADMIN_PORT: {
      value: wholeNumber(0, MAX_PORT),
      default: null,
      help: "Operators' port: a second listener for reload, status and metrics, which the main port then does not serve; 0 selects a free one.",
    },
    SIGNING_CONSOLE: {
      value: flag(),
      default: 'true',
      help: "The read-only console for browsers: `/` of the operators' port, else `/console`. Needs the permission `status`.",
    },
    SIGNING_TLS_CERT_FILE: {
      value: text(),
      default: null,
      help: 'PEM certificate chain. With it and its key, the service uses HTTPS (TLS 1.2 or newer).',
    },
    SIGNING_TLS_KEY_FILE: { value: text(), default: null, help: 'PEM private key of that certificate.' },
    SIGNING_TLS_CLIENT_CA_FILE: {
      value: text(),
      default: null,
      help: 'PEM certificates of the authorities that issue client certificates. With it, callers need a client certificate (mutual TLS).',
    },
    SIGNING_TLS_CLIENT_FINGERPRINTS_FILE: {
      value: text(),
      default: null,
      help: 'SHA-256 fingerprints, one per line, `#` for comments: only these client certificates are accepted.',
    },
    SIGNING_TLS_CLIENT_CERT_HEADER: {
      value: oneOf(['off', ...CERTIFICATE_HEADERS], 'off, client-cert or x-ssl-client-cert'),
      default: 'off',
      help: 'Header in which trusted proxies forward the client certificate of a caller: `client-cert` (RFC 9440), or `x-ssl-client-cert` (PEM, percent-encoded, from nginx). The service verifies it like the certificate of a connection.',
    },
    SIGNING_ALLOWED_NETWORKS: {
      value: networks(),
      default: 'private',
      help: 'Networks whose callers are served; `private` means loopback, RFC 1918, link-local and unique local addresses. Host bits must be zero.',
    },
    SIGNING_TRUSTED_PROXIES: {
      value: networks(),
      default: null,
      help: 'Proxies whose `X-Forwarded-For` is trusted for the caller address.',
    },
  },
  'Credentials and keys': {
    SIGNING_CREDENTIALS_FILE: {
      value: text(),
      default: 'config/credentials.json',
      help: 'Platforms, accounts and their sealed keys.',
    },
    SIGNING_MASTER_KEY_FILE: {
      value: text(),
      default: injectedOr('master-key', 'config/master.key'),
      help: 'Master keys, one a line: 64 hex digits, protected by a passphrase, or wrapped by Vault, a KMS or a token. The first seals account keys, every one opens them; mode 0600.',
    },
    SIGNING_MASTER_KEY_TIMEOUT_MS: {
      value: wholeNumber(1000, 120_000),
      default: '10000',
      help: 'Maximum time for Vault, a KMS, a token or a helper to open or wrap master keys, retries included, in milliseconds.',
    },
    SIGNING_MASTER_KEY_CA_FILE: {
      value: text(),
      default: null,
      help: 'PEM certificates of the authorities of Vault, the KMS or a proxy, besides those of Node.',
    },
    SIGNING_VAULT_ADDRESS: {
      value: serviceUrl(),
      default: null,
      help: 'Vault or OpenBao whose Transit engine wraps the master key.',
    },
    SIGNING_VAULT_NAMESPACE: { value: headerText(), default: null, help: 'Namespace of the Transit engine.' },
    SIGNING_VAULT_TOKEN_FILE: {
      value: text(),
      default: null,
      help: 'File with a Vault token, such as the sink of Vault Agent; read at each opening; mode 0600.',
    },
    SIGNING_VAULT_KUBERNETES_ROLE: {
      value: headerText(),
      default: null,
      help: 'Role for Kubernetes authentication, instead of a token file.',
    },
    SIGNING_VAULT_KUBERNETES_MOUNT: {
      value: headerText(),
      default: 'kubernetes',
      help: 'Mount path of that authentication method.',
    },
    SIGNING_VAULT_KUBERNETES_TOKEN_FILE: {
      value: text(),
      default: '/var/run/secrets/kubernetes.io/serviceaccount/token',
      help: 'Token of the service account for that method.',
    },
    SIGNING_VAULT_APPROLE_ROLE_ID: {
      value: headerText(),
      default: null,
      help: 'Role ID for AppRole authentication, instead of a token file.',
    },
    SIGNING_VAULT_APPROLE_SECRET_ID_FILE: {
      value: text(),
      default: null,
      help: 'File with the secret ID of that role; read at each opening; mode 0600.',
    },
    SIGNING_VAULT_APPROLE_MOUNT: {
      value: headerText(),
      default: 'approle',
      help: 'Mount path of that authentication method.',
    },
    SIGNING_GCP_KMS_ENDPOINT: {
      value: serviceUrl(),
      default: 'https://cloudkms.googleapis.com',
      help: 'Google Cloud KMS whose key wraps the master key.',
    },
    SIGNING_GCP_TOKEN_FILE: {
      value: text(),
      default: null,
      help: 'File with an OAuth 2.0 access token for it, read at each opening, mode 0600; otherwise the Application Default Credentials.',
    },
    SIGNING_AWS_REGION: {
      value: headerText(),
      default: null,
      help: 'Region of the AWS KMS key that wraps the master key; otherwise that of its ARN, or that of the AWS configuration.',
    },
    SIGNING_AWS_KMS_ENDPOINT: {
      value: serviceUrl(),
      default: null,
      help: 'AWS KMS, such as a VPC endpoint; otherwise `https://kms.<region>.amazonaws.com`.',
    },
    SIGNING_AWS_CREDENTIALS_FILE: {
      value: text(),
      default: null,
      help: 'AWS shared credentials file, whose profile `AWS_PROFILE` or `default` is used, read at each opening, mode 0600; otherwise the credentials that the AWS SDK finds.',
    },
    SIGNING_PKCS11_MODULE: {
      value: text(),
      default: null,
      help: 'Path of the PKCS #11 library (.so) of the token whose key wraps the master key.',
    },
    SIGNING_PKCS11_TOKEN: { value: headerText(), default: null, help: 'Label of that token.' },
    SIGNING_PKCS11_PIN_FILE: {
      value: text(),
      default: null,
      help: 'File with the user PIN of that token; read at each opening; mode 0600.',
    },
    SIGNING_MASTER_KEY_HELPER: {
      value: text(),
      default: null,
      help: 'Program of your own that wraps the master key; only root and the user of the service can change it.',
    },
    SIGNING_WATCH: {
      value: flag(),
      default: 'true',
      help: 'Reload the credentials, key, master key, certificate and token files when they change.',
    },
    SIGNING_RELOAD_MAX_REMOVED: {
      value: fraction(),
      default: null,
      help: 'Reject a reload that would remove a larger share of the accounts.',
    },
    SIGNING_MEMORY_LOCK: {
      value: oneOf(['require', 'warn'], 'require or warn'),
      default: 'require',
      help: '`warn` starts the service even if memory for keys cannot be locked: keys could then be written to swap.',
    },
    SIGNING_KEY_REFRESH_SECONDS: {
      value: wholeNumber(1, 86_400),
      default: '300',
      help: 'Interval at which keys in memory are re-encrypted under a new key, in seconds.',
    },
    SIGNING_VERIFY_SIGNATURES: {
      value: flag(),
      default: 'false',
      help: 'Verify each signature before it is released, against hardware faults.',
    },
    SIGNING_ALLOW_PLAINTEXT_KEYS: {
      value: flag(),
      default: 'false',
      help: 'Allow `"key": {"plaintext": …}`. Development only.',
    },
    SIGNING_KEY_STORE_MODULE: {
      value: text(),
      default: null,
      help: 'Module with another KeyStore, for reviews. Rejected when `NODE_ENV=production`.',
    },
  },
  'Audit log': {
    SIGNING_AUDIT_FILE: {
      value: text(),
      default: 'var/audit/audit.jsonl',
      help: 'Audit file; each running service needs its own.',
    },
    SIGNING_AUDIT_KEY_FILE: {
      value: text(),
      default: injectedOr('audit-key', 'config/audit.key'),
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
      value: text(),
      default: null,
      help: 'File on another disk or machine that gets a copy of the audit checkpoints, one JSON line a minute and at each stop.',
    },
    SIGNING_AUDIT_CHECKPOINT_URL: {
      value: serviceUrl(),
      default: null,
      help: 'Endpoint that gets the same checkpoints as JSON, by POST.',
    },
  },
  Authentication: {
    SIGNING_AUTH: {
      value: oneOf(['off', 'optional', 'required'], 'off, optional or required'),
      default: 'off',
      help: 'Whether callers authenticate with access tokens. With `optional`, requests without the header are served anonymously.',
    },
    SIGNING_AUTH_AUTHORITIES_FILE: {
      value: text(),
      default: 'config/auth-authorities.txt',
      help: 'Public keys of the authorities that issue tokens, one per line.',
    },
    SIGNING_AUTH_KEY_FILE: {
      value: text(),
      default: injectedOr('auth-key', 'config/auth.key'),
      help: 'Key that signs responses, created by `token issue --service`; mode 0600.',
    },
    SIGNING_AUTH_TOKEN_FILE: {
      value: text(),
      default: 'config/auth-token.txt',
      help: 'Access token of the service.',
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
    },
  },
  Operation: {
    SIGNING_LOG_LEVEL: {
      value: oneOf(['error', 'warn', 'info'], 'one of error, warn, info'),
      default: 'info',
      help: 'Level of the service log on standard output. Audit checkpoints are logged at `info`.',
    },
    SIGNING_LOG_REQUESTS: {
      value: flag(),
      default: 'true',
      help: 'Whether the service log has a line for each request. With `false`, only for responses with a status from 500, once a minute.',
    },
    SIGNING_EXPIRY_WARNING_DAYS: {
      value: wholeNumber(1, 90),
      default: '14',
      help: "The log and the alerts warn this many days before the HTTPS certificate or the service's access token expires.",
    },
    SIGNING_METRICS_ACCOUNTS: {
      value: flag(),
      default: 'false',
      help: 'Metrics of signatures and errors per account: two series each.',
    },
    SIGNING_METRICS_CALLERS: {
      value: flag(),
      default: 'false',
      help: 'Metrics of signatures and errors per caller, for the principals of the permissions list.',
    },
    SIGNING_DRAIN_DELAY_MS: {
      value: wholeNumber(0, 60_000),
      default: '1000',
      help: 'Time between SIGTERM, when `/readyz` becomes not ready, and the end of accepting requests, in milliseconds.',
    },
    SIGNING_INSTANCE_ID: {
      value: identifier(),
      default: {
        shown: 'the host name',
        find: () => (IDENTIFIER_PATTERN.test(hostname()) ? hostname() : 'signing-service'),
      },
      help: 'Unique name of this process in audit records and shared usage counters.',
    },
    SIGNING_REDIS_URL: {
      value: redisUrl(),
      default: null,
      help: 'Redis or Valkey through which replicas share usage counters, rate limits, budgets and, with `SIGNING_AUTH`, nonces. Only budgets and `SIGNING_AUTH` depend on it for signing.',
    },
    SIGNING_REDIS_PASSWORD_FILE: {
      value: text(),
      default: null,
      help: 'File with the Redis password, instead of one in the URL; read for each connection.',
    },
  },
} as const satisfies { readonly [group: string]: { readonly [name: `SIGNING_${string}`]: Setting } };

const TABLE = {
  ...SETTING_GROUPS['Network and TLS'],
  ...SETTING_GROUPS['Credentials and keys'],
  ...SETTING_GROUPS['Audit log'],
  ...SETTING_GROUPS.Authentication,
  ...SETTING_GROUPS.Limits,
  ...SETTING_GROUPS.Operation,
};

/** All settings, with the types of their values. */
export type SettingTable = typeof TABLE;

/** Name of a setting: its environment variable. */
export type SettingName = keyof SettingTable;

/** All settings by name. */
export const SETTINGS: { readonly [Name in SettingName]: Setting } = TABLE;

/** Names of all settings, in the order of docs/operators/configure.md. */
export const SETTING_NAMES = Object.keys(TABLE) as readonly SettingName[];

/** Default and meaning of a setting, in Markdown. */
export function describeSetting({ value, default: fallback, help }: Setting): {
  readonly shownDefault: string;
  readonly meaning: string;
} {
  const shownDefault = typeof fallback === 'string' ? `\`${fallback}\`` : (fallback?.shown ?? 'none');
  const wanted = value.description === undefined ? '' : ` Value: ${value.description}.`;
  return { shownDefault, meaning: `${help}${wanted}` };
}

/** The same in plain text, for help; undefined for an unknown setting. */
export function settingHelp(name: string): string | undefined {
  const setting = SETTING_NAMES.find((known) => known === name);
  if (setting === undefined) return undefined;
  const { shownDefault, meaning } = describeSetting(SETTINGS[setting]);
  return `${meaning} Default: ${shownDefault}.`.replaceAll('`', '');
}

/** The file that an orchestrator injects under that name, else this one. */
function injectedOr(name: string, file: string): ComputedDefault {
  return {
    shown: `\`$CREDENTIALS_DIRECTORY/${name}\` or \`/run/secrets/${name}\` if present, else \`${file}\``,
    find: (injectedSecret) => injectedSecret(name) ?? file,
  };
}
