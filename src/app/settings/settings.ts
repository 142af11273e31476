import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { closest, distance } from 'fastest-levenshtein';
import { systemErrorCode } from '../../adapters/files/system-error-code.ts';
import { NetworkList } from '../../adapters/http/callers/network-list.ts';
import type { ClientTrustFileNames } from '../../adapters/http/tls/client-trust-files.ts';
import type { CertificateHeader } from '../../adapters/http/tls/forwarded-certificate.ts';
import type { TlsFileNames } from '../../adapters/http/tls/tls-files.ts';
import type { WrappingKeySettings } from '../../adapters/key-helper/helper-wrapping-keys.ts';
import { RedisAddress } from '../../adapters/redis/redis-address.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import type { RateBudget } from '../../ports/rate-limiter.ts';
import { isProduction } from '../production.ts';
import { type ExplicitSettings, findConflicts, findServiceConflicts } from './setting-conflicts.ts';
import { SETTING_NAMES, SETTINGS, type SettingName, type SettingValues } from './setting-table.ts';
import { findTraceEndpoint, findTraceIssues } from './trace-variables.ts';

/**
 * Path at which an orchestrator injects that secret, if it does: systemd in
 * `$CREDENTIALS_DIRECTORY` (`LoadCredential=master-key:…`), Docker and Kubernetes in /run/secrets.
 * @param credentialsDirectory systemd's variable, if set
 * @param exists whether there is a file
 */
export function findInjectedSecret(
  name: string,
  credentialsDirectory: string | undefined,
  exists: (file: string) => boolean,
): string | undefined {
  const folders = [credentialsDirectory ?? '', '/run/secrets'].filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name)).find(exists);
}

/**
 * Also true for dangling links and unreadable files: reading them reports the problem, which
 * falling back to another key would hide.
 */
export function fileExists(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error));
  }
}

/** Environment variables, as `process.env` has them. */
export type Environment = { readonly [name: string]: string | undefined };

const PREFIX = 'SIGNING_';

/** TLS files. */
export interface TlsSettings extends TlsFileNames {
  /** Files that select client certificates; null: none is requested. */
  readonly clients: ClientTrustFileNames | null;
}

/** Client certificates that proxies forward. */
export interface ForwardedCertificateSettings {
  readonly header: CertificateHeader;
  /** Only these may send the header. */
  readonly proxies: NetworkList;
  readonly clients: ClientTrustFileNames;
}

/** The configuration; setting-table.ts describes each setting. */
export type Settings = Readonly<ReturnType<typeof toSettings>>;

/**
 * Reads and checks the settings for commands. Empty variables count as unset.
 * @param exists whether there is a file, for injected keys
 * @throws OperatorError naming every wrong setting, and the nearest name for an unknown one
 */
export function readSettings(environment: Environment, exists: (file: string) => boolean = fileExists): Settings {
  return readChecked(environment, exists, () => []);
}

/**
 * The same for the service, which also rejects settings of disabled features.
 * @throws OperatorError
 */
export function readServiceSettings(environment: Environment): Settings {
  return readChecked(environment, fileExists, (explicit) => [
    ...findServiceConflicts(explicit),
    ...findTraceIssues(environment),
  ]);
}

function readChecked(
  environment: Environment,
  exists: (file: string) => boolean,
  findMore: typeof findServiceConflicts,
): Settings {
  const explicit: ExplicitSettings = Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) => name.startsWith(PREFIX) && value !== undefined && value !== '',
    ),
  );
  const texts = resolveTexts(explicit, (name) =>
    findInjectedSecret(name, environment['CREDENTIALS_DIRECTORY'], exists),
  );
  const parsed = texts.map(([name, text]) => [name, SETTINGS[name].value.nullable().safeParse(text)] as const);
  const production = isProduction(environment);
  const issues = [
    ...Object.keys(explicit).flatMap(describeUnknown),
    ...parsed.flatMap(([name, { error }]) => (error?.issues ?? []).map(({ message }) => `${name} must be ${message}.`)),
    ...findConflicts(explicit, production),
    ...findMore(explicit),
  ];
  if (issues.length > 0) throw new OperatorError(issues.join('\n'));
  const values = Object.fromEntries(parsed.map(([name, { data }]) => [name, data])) as SettingValues;
  return toSettings(values, environment, production, showSettings(values, explicit));
}

/** Text of every setting or its default; null without either. */
function resolveTexts(
  explicit: ExplicitSettings,
  injectedSecret: (name: string) => string | undefined,
): readonly (readonly [SettingName, string | null])[] {
  return SETTING_NAMES.map((name) => {
    const fallback = SETTINGS[name].default;
    const isComputed = typeof fallback === 'object' && fallback !== null;
    return [name, explicit[name] ?? (isComputed ? fallback.find(injectedSecret) : fallback)];
  });
}

function toSettings(values: SettingValues, environment: Environment, production: boolean, shown: PublicSettings) {
  return {
    host: values.SIGNING_HOST,
    port: values.SIGNING_PORT,
    /** The admin listener; null: none. */
    admin:
      values.SIGNING_ADMIN_PORT === null ? null : { host: values.SIGNING_ADMIN_HOST, port: values.SIGNING_ADMIN_PORT },
    hasConsole: values.SIGNING_CONSOLE,
    /** TLS files; null: HTTP. */
    tls: toTls(values),
    /** Client certificates that trusted proxies forward; null: none. */
    forwardedCertificates: toForwardedCertificates(values),
    networks: { allowed: values.SIGNING_ALLOWED_NETWORKS, trustedProxies: values.SIGNING_TRUSTED_PROXIES },
    credentialsFile: values.SIGNING_CREDENTIALS_FILE,
    masterKeyFile: values.SIGNING_MASTER_KEY_FILE,
    /** How to reach services and tokens that wrap master keys. */
    wrappingKeys: toWrappingKeys(values),
    watch: values.SIGNING_WATCH,
    /** A share, 0 to 1; null: no limit. */
    reloadMaxRemoved: values.SIGNING_RELOAD_MAX_REMOVED,
    memoryLock: values.SIGNING_MEMORY_LOCK,
    keyRefreshSeconds: values.SIGNING_KEY_REFRESH_SECONDS,
    verifySignatures: values.SIGNING_VERIFY_SIGNATURES,
    allowPlaintextKeys: values.SIGNING_ALLOW_PLAINTEXT_KEYS,
    /** Null: the built-in vault. */
    keyStoreModule: values.SIGNING_KEY_STORE_MODULE,
    auditFile: values.SIGNING_AUDIT_FILE,
    auditKeyFile: values.SIGNING_AUDIT_KEY_FILE,
    auditTimeoutMs: values.SIGNING_AUDIT_TIMEOUT_MS,
    auditRotateBytes: values.SIGNING_AUDIT_ROTATE_BYTES,
    auditRotateHours: values.SIGNING_AUDIT_ROTATE_HOURS,
    auditKeepFiles: values.SIGNING_AUDIT_KEEP_FILES,
    /** Null: no copy of checkpoints in a file. */
    auditCheckpointFile: values.SIGNING_AUDIT_CHECKPOINT_FILE,
    /** Null: no copy of checkpoints over HTTP. */
    auditCheckpointUrl: values.SIGNING_AUDIT_CHECKPOINT_URL,
    auth: {
      mode: values.SIGNING_AUTH,
      authoritiesFile: values.SIGNING_AUTH_AUTHORITIES_FILE,
      keyFile: values.SIGNING_AUTH_KEY_FILE,
      tokenFile: values.SIGNING_AUTH_TOKEN_FILE,
    },
    maxBatch: values.SIGNING_MAX_BATCH,
    maxInFlight: values.SIGNING_MAX_IN_FLIGHT,
    maxQueue: values.SIGNING_MAX_QUEUE,
    /** Null: no limit. */
    rateLimits: {
      perCaller: toBudget(values.SIGNING_RATE_LIMIT_PER_CALLER, values),
      perAccount: toBudget(values.SIGNING_RATE_LIMIT_PER_ACCOUNT, values),
    },
    logLevel: values.SIGNING_LOG_LEVEL,
    logsRequests: values.SIGNING_LOG_REQUESTS,
    /** Days before a certificate or token expires. */
    expiryWarningDays: values.SIGNING_EXPIRY_WARNING_DAYS,
    metricsAccounts: values.SIGNING_METRICS_ACCOUNTS,
    metricsCallers: values.SIGNING_METRICS_CALLERS,
    drainDelayMs: values.SIGNING_DRAIN_DELAY_MS,
    instanceId: values.SIGNING_INSTANCE_ID,
    /** Null if replicas share nothing. A password is in the address or in the file. */
    redis:
      values.SIGNING_REDIS_URL === null
        ? null
        : { address: values.SIGNING_REDIS_URL, passwordFile: values.SIGNING_REDIS_PASSWORD_FILE },
    /** Null: no traces. May contain a password. The SDK reads the other `OTEL_…` variables. */
    traceEndpoint: findTraceEndpoint(environment),
    /** NODE_ENV is `production`; see `isProduction`. */
    production,
    /** By setting name, without secrets. */
    shown,
  };
}

function toTls(values: SettingValues): TlsSettings | null {
  const { SIGNING_TLS_CERT_FILE: certFile, SIGNING_TLS_KEY_FILE: keyFile } = values;
  if (certFile === null || keyFile === null) return null;
  return { certFile, keyFile, clients: toClients(values) };
}

function toClients(values: SettingValues): ClientTrustFileNames | null {
  const { SIGNING_TLS_CLIENT_CA_FILE: caFile, SIGNING_TLS_CLIENT_FINGERPRINTS_FILE: fingerprintsFile } = values;
  return caFile === null ? null : { caFile, fingerprintsFile };
}

function toForwardedCertificates(values: SettingValues): ForwardedCertificateSettings | null {
  const { SIGNING_TLS_CLIENT_CERT_HEADER: header, SIGNING_TRUSTED_PROXIES: proxies } = values;
  const clients = toClients(values);
  return header === 'off' || proxies === null || clients === null ? null : { header, proxies, clients };
}

function toWrappingKeys(values: SettingValues): WrappingKeySettings {
  return {
    timeoutMs: values.SIGNING_MASTER_KEY_TIMEOUT_MS,
    caFile: values.SIGNING_MASTER_KEY_CA_FILE,
    vault: toVault(values),
    gcp: { endpoint: values.SIGNING_GCP_KMS_ENDPOINT.href, tokenFile: values.SIGNING_GCP_TOKEN_FILE },
    aws: {
      region: values.SIGNING_AWS_REGION,
      endpoint: values.SIGNING_AWS_KMS_ENDPOINT?.href ?? null,
      credentialsFile: values.SIGNING_AWS_CREDENTIALS_FILE,
    },
    pkcs11: toPkcs11(values),
    helper: values.SIGNING_MASTER_KEY_HELPER,
  };
}

/** Null unless all three are set, which setting-conflicts.ts requires. */
function toPkcs11(values: SettingValues): WrappingKeySettings['pkcs11'] {
  const { SIGNING_PKCS11_MODULE: module, SIGNING_PKCS11_TOKEN: token, SIGNING_PKCS11_PIN_FILE: pinFile } = values;
  return module === null || token === null || pinFile === null ? null : { module, token, pinFile };
}

/**
 * Null without an address, or without a way to authenticate, which setting-conflicts.ts rejects.
 */
function toVault(values: SettingValues): WrappingKeySettings['vault'] {
  const { SIGNING_VAULT_ADDRESS: address, SIGNING_VAULT_NAMESPACE: namespace } = values;
  const login = toVaultLogin(values);
  return address === null || login === null ? null : { address: address.href, namespace, login };
}

function toVaultLogin(values: SettingValues): NonNullable<WrappingKeySettings['vault']>['login'] | null {
  const { SIGNING_VAULT_TOKEN_FILE: tokenFile, SIGNING_VAULT_KUBERNETES_ROLE: role } = values;
  const { SIGNING_VAULT_APPROLE_ROLE_ID: roleId, SIGNING_VAULT_APPROLE_SECRET_ID_FILE: secretIdFile } = values;
  if (tokenFile !== null) return { tokenFile };
  if (role !== null) {
    return { mount: values.SIGNING_VAULT_KUBERNETES_MOUNT, role, jwtFile: values.SIGNING_VAULT_KUBERNETES_TOKEN_FILE };
  }
  if (roleId === null || secretIdFile === null) return null;
  return { mount: values.SIGNING_VAULT_APPROLE_MOUNT, roleId, secretIdFile };
}

function toBudget(points: number, values: SettingValues): RateBudget | null {
  return points === 0 ? null : { points, windowSeconds: values.SIGNING_RATE_LIMIT_WINDOW_SECONDS };
}

/** Settings by name, for the log. */
export interface ByName {
  readonly [name: string]: string | number | boolean;
}

/** The settings in force, explicit and by default. */
export interface PublicSettings {
  readonly explicit: ByName;
  readonly byDefault: ByName;
}

/** Masks the password in the Redis address, the only secret. */
function showSettings(values: SettingValues, explicit: ExplicitSettings): PublicSettings {
  const shown = SETTING_NAMES.flatMap((name) => {
    const value = values[name];
    return value === null ? [] : [[name, showValue(value)] as const];
  });
  return {
    explicit: Object.fromEntries(shown.filter(([name]) => explicit[name] !== undefined)),
    byDefault: Object.fromEntries(shown.filter(([name]) => explicit[name] === undefined)),
  };
}

function showValue(value: NonNullable<SettingValues[SettingName]>): string | number | boolean {
  if (value instanceof NetworkList) return value.networks.join(',');
  if (value instanceof URL) return value.href;
  return value instanceof RedisAddress ? value.shown : value;
}

function describeUnknown(name: string): readonly string[] {
  if (Object.hasOwn(SETTINGS, name)) return [];
  const nearest = closest(name, SETTING_NAMES);
  const isNear = distance(name, nearest) <= name.length / 3;
  return [`${name} is not a setting of this service.${isNear ? ` Did you mean ${nearest}?` : ''}`];
}
