import { closest, distance } from 'fastest-levenshtein';
import { NetworkList } from '../adapters/driving/http/networks/network-list.ts';
import type { ClientTrustFileNames } from '../adapters/driving/http/tls/client-trust-files.ts';
import type { TlsFileNames } from '../adapters/driving/http/tls/tls-files.ts';
import { OperatorError } from '../domain/model/errors.ts';
import type { RateBudget } from '../domain/model/rate-limit.ts';
import { RedisAddress } from '../redis/redis-address.ts';
import { findInjectedSecret, isThere } from './injected-secret.ts';
import { isProduction } from './production.ts';
import { findConflicts, findServiceConflicts, type GivenSettings } from './setting-conflicts.ts';
import { SETTING_NAMES, SETTINGS, type SettingName, type SettingValues } from './setting-table.ts';

/** Environment variables, as `process.env` holds them. */
export type Environment = { readonly [name: string]: string | undefined };

const PREFIX = 'SIGNING_';

/** Files of HTTPS. */
export interface TlsSettings extends TlsFileNames {
  /** Files that decide which client certificates are accepted; null: none is requested. */
  readonly clients: ClientTrustFileNames | null;
}

/** How the service is configured; setting-table.ts describes each setting. */
export type Settings = Readonly<ReturnType<typeof toSettings>>;

/**
 * Reads and checks the settings, as the commands need them. A variable that is set to the empty
 * text counts as not set.
 * @param exists whether there is a file, for the paths at which an orchestrator injects keys
 * @throws OperatorError naming every setting that is wrong, and the nearest name for an unknown one
 */
export function readSettings(environment: Environment, exists: (file: string) => boolean = isThere): Settings {
  return readChecked(environment, exists, () => []);
}

/**
 * The same for the service itself, where settings of a feature that is off are wrong, too.
 * @throws OperatorError
 */
export function readServiceSettings(environment: Environment): Settings {
  return readChecked(environment, isThere, findServiceConflicts);
}

function readChecked(
  environment: Environment,
  exists: (file: string) => boolean,
  findMore: typeof findServiceConflicts,
): Settings {
  const given: GivenSettings = Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) => name.startsWith(PREFIX) && value !== undefined && value !== '',
    ),
  );
  const texts = textsOf(given, (name) => findInjectedSecret(name, environment['CREDENTIALS_DIRECTORY'], exists));
  const parsed = texts.map(([name, text]) => [name, SETTINGS[name].value.nullable().safeParse(text)] as const);
  const production = isProduction(environment);
  const issues = [
    ...Object.keys(given).flatMap(describeUnknown),
    ...parsed.flatMap(([name, { error }]) =>
      (error?.issues ?? []).map(({ message }) => `${name} has to be ${message}.`),
    ),
    ...findConflicts(given, production),
    ...findMore(given),
  ];
  if (issues.length > 0) throw new OperatorError(issues.join('\n'));
  const values = Object.fromEntries(parsed.map(([name, { data }]) => [name, data])) as SettingValues;
  return toSettings(values, production, showSettings(values, given));
}

/** The text of every setting: as it is set, else its default; null where there is neither. */
function textsOf(
  given: GivenSettings,
  injectedSecret: (name: string) => string | undefined,
): readonly (readonly [SettingName, string | null])[] {
  const textOf = (name: SettingName): string | null => {
    const fallback = SETTINGS[name].default;
    if (given[name] !== undefined || fallback === null) return given[name] ?? null;
    return typeof fallback === 'string' ? fallback : fallback.find({ textOf, injectedSecret });
  };
  return SETTING_NAMES.map((name) => [name, textOf(name)]);
}

function toSettings(values: SettingValues, production: boolean, shown: ShownSettings) {
  return {
    host: values.SIGNING_HOST,
    port: values.SIGNING_PORT,
    /** The second listener; null where there is none. */
    admin:
      values.SIGNING_ADMIN_PORT === null ? null : { host: values.SIGNING_ADMIN_HOST, port: values.SIGNING_ADMIN_PORT },
    /** Files of HTTPS; null for HTTP. */
    tls: toTls(values),
    networks: { allowed: values.SIGNING_ALLOWED_NETWORKS, trustedProxies: values.SIGNING_TRUSTED_PROXIES },
    credentialsFile: values.SIGNING_CREDENTIALS_FILE,
    masterKeyFile: values.SIGNING_MASTER_KEY_FILE,
    /** It need not exist. */
    previousMasterKeyFile: values.SIGNING_PREVIOUS_MASTER_KEY_FILE,
    watch: values.SIGNING_WATCH,
    /** A share, 0 to 1; null: no limit. */
    reloadMaxRemoved: values.SIGNING_RELOAD_MAX_REMOVED,
    memoryLock: values.SIGNING_MEMORY_LOCK,
    keyRefreshSeconds: values.SIGNING_KEY_REFRESH_SECONDS,
    verifySignatures: values.SIGNING_VERIFY_SIGNATURES,
    allowPlaintextKeys: values.SIGNING_ALLOW_PLAINTEXT_KEYS,
    /** Null for the built-in vault. */
    keyStoreModule: values.SIGNING_KEY_STORE_MODULE,
    auditFile: values.SIGNING_AUDIT_FILE,
    auditKeyFile: values.SIGNING_AUDIT_KEY_FILE,
    auditTimeoutMs: values.SIGNING_AUDIT_TIMEOUT_MS,
    auditRotateBytes: values.SIGNING_AUDIT_ROTATE_BYTES,
    auditRotateHours: values.SIGNING_AUDIT_ROTATE_HOURS,
    auditKeepFiles: values.SIGNING_AUDIT_KEEP_FILES,
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
    metricsAccounts: values.SIGNING_METRICS_ACCOUNTS,
    drainDelayMs: values.SIGNING_DRAIN_DELAY_MS,
    instanceId: values.SIGNING_INSTANCE_ID,
    /**
     * Null where replicas share nothing. Its password, if any, is in the address or in the file.
     */
    redis:
      values.SIGNING_REDIS_URL === null
        ? null
        : { address: values.SIGNING_REDIS_URL, passwordFile: values.SIGNING_REDIS_PASSWORD_FILE },
    /** NODE_ENV is `production`, in whatever case. */
    production,
    /** The same by the names of the settings, without secrets. */
    shown,
  };
}

function toTls(values: SettingValues): TlsSettings | null {
  const { SIGNING_TLS_CERT_FILE: certFile, SIGNING_TLS_KEY_FILE: keyFile } = values;
  if (certFile === null || keyFile === null) return null;
  const { SIGNING_TLS_CLIENT_CA_FILE: caFile, SIGNING_TLS_CLIENT_FINGERPRINTS_FILE: fingerprintsFile } = values;
  return { certFile, keyFile, clients: caFile === null ? null : { caFile, fingerprintsFile } };
}

function toBudget(points: number, values: SettingValues): RateBudget | null {
  return points === 0 ? null : { points, windowSeconds: values.SIGNING_RATE_LIMIT_WINDOW_SECONDS };
}

/** Settings by their names, as a log may show them. */
export interface ByName {
  readonly [name: string]: string | number | boolean;
}

/** The settings in force, apart by whether the environment sets them. */
export interface ShownSettings {
  readonly given: ByName;
  readonly byDefault: ByName;
}

/** Masks a password in the address of Redis; no other setting holds a secret. */
function showSettings(values: SettingValues, given: GivenSettings): ShownSettings {
  const shown = SETTING_NAMES.flatMap((name) => {
    const value = values[name];
    return value === null ? [] : [[name, showValue(value)] as const];
  });
  return {
    given: Object.fromEntries(shown.filter(([name]) => given[name] !== undefined)),
    byDefault: Object.fromEntries(shown.filter(([name]) => given[name] === undefined)),
  };
}

function showValue(value: NonNullable<SettingValues[SettingName]>): string | number | boolean {
  if (value instanceof NetworkList) return value.networks.join(',');
  return value instanceof RedisAddress ? value.shown : value;
}

function describeUnknown(name: string): readonly string[] {
  if (Object.hasOwn(SETTINGS, name)) return [];
  const nearest = closest(name, SETTING_NAMES);
  const isNear = distance(name, nearest) <= name.length / 3;
  return [`${name} is no setting of this service.${isNear ? ` Did you mean ${nearest}?` : ''}`];
}
