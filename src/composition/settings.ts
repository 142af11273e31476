import { hostname } from 'node:os';
import { closest, distance } from 'fastest-levenshtein';
import { NetworkList } from '../adapters/driving/http/networks/network-list.ts';
import { PRIVATE_NETWORKS } from '../adapters/driving/http/networks/private-networks.ts';
import type { ServedNetworks } from '../adapters/driving/http/networks/served-networks.ts';
import type { ClientTrustFileNames } from '../adapters/driving/http/tls/client-trust-files.ts';
import type { TlsFileNames } from '../adapters/driving/http/tls/tls-files.ts';
import { IDENTIFIER_PATTERN } from '../domain/model/identifier.ts';
import type { RateBudget } from '../domain/model/rate-limit.ts';
import type { RedisAddress } from '../redis/redis-address.ts';
import { handedOverFile, isThere } from './handed-over-file.ts';
import { isProduction } from './is-production.ts';
import { findConflicts, findServiceConflicts } from './setting-conflicts.ts';
import { SETTING_NAMES, type SettingValues, settingSchema } from './setting-schema.ts';
import { type ShownSettings, shownSettings } from './shown-settings.ts';

/** The service can not start as it is configured. The message names each setting and what it should be. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Environment variables, as `process.env` holds them. */
export type Environment = { readonly [name: string]: string | undefined };

const PREFIX = 'SIGNING_';

/** Files of HTTPS. */
export interface TlsSettings extends TlsFileNames {
  /** What says which client certificates are taken; null: none is asked for. */
  readonly clients: ClientTrustFileNames | null;
}

/** How the service is configured. */
export interface Settings {
  readonly host: string;
  /** TCP port; 0 lets the system choose one. */
  readonly port: number;
  readonly credentialsFile: string;
  readonly masterKeyFile: string;
  /** Master key that is readable beside the other during a rotation; it need not exist. */
  readonly previousMasterKeyFile: string;
  readonly auditFile: string;
  /** The key that signs checkpoints of the audit file. */
  readonly auditKeyFile: string;
  /** How long a request waits for its audit record to be on the disk, before it fails, milliseconds. */
  readonly auditTimeoutMs: number;
  /** Size at which the audit file is rotated; 0: never. */
  readonly auditRotateBytes: number;
  /** Age at which the audit file is rotated; 0: never. */
  readonly auditRotateHours: number;
  /** Rotated audit files that are kept, older ones are deleted; 0: all. */
  readonly auditKeepFiles: number;
  readonly logLevel: 'error' | 'warn' | 'info';
  /** A reload that would take away more than this share of the accounts, 0 to 1, is refused; null: none is for that reason. */
  readonly reloadMaxRemoved: number | null;
  /** Most items in one batch. */
  readonly maxBatch: number;
  /** Most signatures in the making at once, a quarter of them for single requests. */
  readonly maxInFlight: number;
  /** Most single signing requests that wait for that. */
  readonly maxQueue: number;
  /** How long the service goes on after SIGTERM, not ready any more, before it stops accepting requests, milliseconds. */
  readonly drainDelayMs: number;
  /** Files of HTTPS; null for HTTP. */
  readonly tls: TlsSettings | null;
  /** Whose requests are answered, and whose word is taken for where they come from. */
  readonly networks: ServedNetworks;
  /** Where reload, status and metrics are served; null: where everything else is. */
  readonly admin: { readonly host: string /** 0 lets the system choose one. */; readonly port: number } | null;
  /** Whether metrics name each account, with what it was used for. */
  readonly metricsAccounts: boolean;
  /** How much one caller and one account may ask for; null: nothing bounds it. */
  readonly rateLimits: { readonly perCaller: RateBudget | null; readonly perAccount: RateBudget | null };
  /** Whether callers are asked who they are, by the messages of mutual authentication, and the files for that. */
  readonly auth: {
    readonly mode: 'off' | 'optional' | 'required';
    /** Public keys of those whose tokens are believed. */
    readonly authoritiesFile: string;
    /** The key that answers are signed with. */
    readonly keyFile: string;
    /** The service's own token. */
    readonly tokenFile: string;
  };
  /** Whether files are read again when they have changed. */
  readonly watch: boolean;
  /** Name of this process in its audit records, and of its counters among those of other replicas. */
  readonly instanceId: string;
  /** Redis or Valkey through which replicas share their usage counters; null when they don't. */
  readonly redis: {
    readonly address: RedisAddress;
    /** File with its password; null when that is in the address, or there is none. */
    readonly passwordFile: string | null;
  } | null;
  /** What happens when memory for keys can't be locked: the service refuses to start, or warns and goes on. */
  readonly memoryLock: 'require' | 'warn';
  /** Time after which the keys in memory are encrypted anew. */
  readonly keyRefreshSeconds: number;
  /** Whether each signature is verified before it is released. */
  readonly verifySignatures: boolean;
  readonly allowPlaintextKeys: boolean;
  /** Module that supplies another KeyStore, for reviewers; null for the built-in vault. */
  readonly keyStoreModule: string | null;
  /** NODE_ENV is `production`, in whatever case. */
  readonly production: boolean;
  /** The same by the names of the settings, without secrets. */
  readonly shown: ShownSettings;
}

/**
 * Reads and checks the settings, as the commands need them. A variable that is set to the empty text counts as not set.
 * @param exists whether there is a file, for the places where an orchestrator puts keys
 * @throws SettingsError naming every setting that is wrong, and the nearest name for one that is unknown.
 */
export function readSettings(environment: Environment, exists: (file: string) => boolean = isThere): Settings {
  return readChecked(environment, exists, () => []);
}

/** The same for the service itself, where settings of what is switched off are wrong, too. @throws SettingsError */
export function readServiceSettings(environment: Environment): Settings {
  return readChecked(environment, isThere, findServiceConflicts);
}

function readChecked(
  environment: Environment,
  exists: (file: string) => boolean,
  findMore: typeof findServiceConflicts,
): Settings {
  const given = Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) => name.startsWith(PREFIX) && value !== undefined && value !== '',
    ),
  );
  const parsed = settingSchema.safeParse(given);
  const faults = [
    ...Object.keys(given).flatMap(describeUnknown),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} has to be ${message}.`),
    ...findConflicts(given, isProduction(environment)),
    ...findMore(given),
  ];
  if (parsed.data === undefined || faults.length > 0) throw new SettingsError(faults.join('\n'));
  return toSettings(parsed.data, environment, Object.keys(given), exists);
}

function toSettings(
  values: SettingValues,
  environment: Environment,
  given: readonly string[],
  exists: (file: string) => boolean,
): Settings {
  const handedOver = (name: string) => handedOverFile(name, environment['CREDENTIALS_DIRECTORY'], exists);
  const masterKeyFile = values.SIGNING_MASTER_KEY_FILE ?? handedOver('master-key') ?? 'config/master.key';
  const settings: Omit<Settings, 'shown'> = {
    host: values.SIGNING_HOST,
    port: values.SIGNING_PORT,
    credentialsFile: values.SIGNING_CREDENTIALS_FILE,
    masterKeyFile,
    previousMasterKeyFile: values.SIGNING_PREVIOUS_MASTER_KEY_FILE ?? `${masterKeyFile}.previous`,
    auditFile: values.SIGNING_AUDIT_FILE,
    auditKeyFile: values.SIGNING_AUDIT_KEY_FILE ?? handedOver('audit-key') ?? 'config/audit.key',
    auditTimeoutMs: values.SIGNING_AUDIT_TIMEOUT_MS,
    auditRotateBytes: values.SIGNING_AUDIT_ROTATE_BYTES,
    auditRotateHours: values.SIGNING_AUDIT_ROTATE_HOURS,
    auditKeepFiles: values.SIGNING_AUDIT_KEEP_FILES,
    logLevel: values.SIGNING_LOG_LEVEL,
    reloadMaxRemoved: values.SIGNING_RELOAD_MAX_REMOVED ?? null,
    maxBatch: values.SIGNING_MAX_BATCH,
    maxInFlight: values.SIGNING_MAX_IN_FLIGHT,
    maxQueue: values.SIGNING_MAX_QUEUE,
    drainDelayMs: values.SIGNING_DRAIN_DELAY_MS,
    tls: toTls(values),
    networks: {
      allowed: values.SIGNING_ALLOWED_NETWORKS ?? new NetworkList(PRIVATE_NETWORKS),
      trustedProxies: values.SIGNING_TRUSTED_PROXIES ?? null,
    },
    admin:
      values.SIGNING_ADMIN_PORT === undefined
        ? null
        : { host: values.SIGNING_ADMIN_HOST, port: values.SIGNING_ADMIN_PORT },
    metricsAccounts: values.SIGNING_METRICS_ACCOUNTS,
    rateLimits: {
      perCaller: budgetOf(values.SIGNING_RATE_LIMIT_PER_CALLER, values),
      perAccount: budgetOf(values.SIGNING_RATE_LIMIT_PER_ACCOUNT, values),
    },
    auth: {
      mode: values.SIGNING_AUTH,
      authoritiesFile: values.SIGNING_AUTH_AUTHORITIES_FILE,
      keyFile: values.SIGNING_AUTH_KEY_FILE ?? handedOver('auth-key') ?? 'config/auth.key',
      tokenFile: values.SIGNING_AUTH_TOKEN_FILE,
    },
    watch: values.SIGNING_WATCH,
    instanceId: values.SIGNING_INSTANCE_ID ?? defaultInstanceId(),
    redis:
      values.SIGNING_REDIS_URL === undefined
        ? null
        : { address: values.SIGNING_REDIS_URL, passwordFile: values.SIGNING_REDIS_PASSWORD_FILE ?? null },
    memoryLock: values.SIGNING_MEMORY_LOCK,
    keyRefreshSeconds: values.SIGNING_KEY_REFRESH_SECONDS,
    verifySignatures: values.SIGNING_VERIFY_SIGNATURES,
    allowPlaintextKeys: values.SIGNING_ALLOW_PLAINTEXT_KEYS,
    keyStoreModule: values.SIGNING_KEY_STORE_MODULE ?? null,
    production: isProduction(environment),
  };
  const found = {
    SIGNING_MASTER_KEY_FILE: masterKeyFile,
    SIGNING_PREVIOUS_MASTER_KEY_FILE: settings.previousMasterKeyFile,
    SIGNING_AUDIT_KEY_FILE: settings.auditKeyFile,
    SIGNING_AUTH_KEY_FILE: settings.auth.keyFile,
    SIGNING_INSTANCE_ID: settings.instanceId,
    SIGNING_ALLOWED_NETWORKS: settings.networks.allowed,
  };
  return { ...settings, shown: shownSettings(values, given, found) };
}

function toTls(values: SettingValues): TlsSettings | null {
  const { SIGNING_TLS_CERT_FILE: certFile, SIGNING_TLS_KEY_FILE: keyFile } = values;
  if (certFile === undefined || keyFile === undefined) return null;
  const { SIGNING_TLS_CLIENT_CA_FILE: caFile, SIGNING_TLS_CLIENT_FINGERPRINTS_FILE: fingerprintsFile = null } = values;
  return { certFile, keyFile, clients: caFile === undefined ? null : { caFile, fingerprintsFile } };
}

function budgetOf(points: number, values: SettingValues): RateBudget | null {
  return points === 0 ? null : { points, windowSeconds: values.SIGNING_RATE_LIMIT_WINDOW_SECONDS };
}

function defaultInstanceId(): string {
  const name = hostname();
  return IDENTIFIER_PATTERN.test(name) ? name : 'signing-service';
}

function describeUnknown(name: string): readonly string[] {
  if (SETTING_NAMES.includes(name)) return [];
  const nearest = closest(name, SETTING_NAMES);
  const isNear = distance(name, nearest) <= name.length / 3;
  return [`${name} is no setting of this service.${isNear ? ` Did you mean ${nearest}?` : ''}`];
}
