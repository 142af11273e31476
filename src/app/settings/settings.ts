import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { closest, distance } from 'fastest-levenshtein';
import { systemErrorCode } from '../../adapters/files/system-error-code.ts';
import { NetworkList } from '../../adapters/http/callers/network-list.ts';
import type { WrappingKeySettings } from '../../adapters/key-helper/helper-wrapping-keys.ts';
import { RedisAddress } from '../../adapters/redis/redis-address.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import { isProduction } from '../production.ts';
import { SETTING_NAMES, SETTINGS, type SettingName, type SettingRow } from './setting-table.ts';
import type { ValueFormat } from './setting-values.ts';
import { findTraceEndpoint, findTraceIssues } from './trace-variables.ts';

/** Environment variables, as `process.env` has them. */
export type Environment = { readonly [name: string]: string | undefined };

/** Name of a setting in code: `maxBatch` of SIGNING_MAX_BATCH. */
type PropertyName<Name extends string> = Name extends `SIGNING_${infer Rest}` ? CamelCase<Rest> : never;
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

/** Parsed values; null if unset without a default. */
type SettingValues = {
  readonly [Name in SettingName as PropertyName<Name>]:
    | (SettingRow<Name> extends { readonly value: ValueFormat<infer Value> } ? Value : string)
    | (SettingRow<Name> extends { readonly default: string } ? never : null);
};

/** Variables that are set and begin like settings. */
type ExplicitSettings = { readonly [name: string]: string };

/** The configuration; setting-table.ts describes each setting. */
export type Settings = Readonly<ReturnType<typeof toSettings>>;

/**
 * Reads and checks the settings for commands. Empty variables count as unset.
 * @param exists whether there is a file, for injected keys
 * @throws OperatorError naming every wrong setting, and the nearest name for an unknown one
 */
export function readSettings(environment: Environment, exists: (file: string) => boolean = fileExists): Settings {
  return readChecked(environment, exists, false);
}

/**
 * The same for the service, which also rejects settings of disabled features.
 * @throws OperatorError
 */
export function readServiceSettings(environment: Environment): Settings {
  return readChecked(environment, fileExists, true);
}

function readChecked(environment: Environment, exists: (file: string) => boolean, isService: boolean): Settings {
  const explicit = Object.fromEntries(
    Object.entries(environment).flatMap(([name, text]) => (name.startsWith('SIGNING_') && text ? [[name, text]] : [])),
  );
  const production = isProduction(environment);
  const issues = [
    ...Object.keys(explicit).flatMap(describeUnknown),
    ...findConflicts(explicit, production, isService),
    ...(isService ? findTraceIssues(environment) : []),
  ];
  const parsed = SETTING_NAMES.flatMap((name) => {
    const { value, default: fallback = null, injectedAs } = SETTINGS[name];
    const text = explicit[name] ?? findInjectedSecret(injectedAs, environment, exists) ?? fallback;
    try {
      return [[toPropertyName(name), text === null || value === undefined ? text : value.parse(text)]];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      issues.push(`${name} must be ${error.message}.`);
      return [];
    }
  });
  const values = Object.fromEntries(parsed) as SettingValues;
  // The rules need every value.
  if (issues.length === 0) issues.push(...VALUE_RULES.flatMap(([isBroken, issue]) => (isBroken(values) ? issue : [])));
  if (issues.length > 0) throw new OperatorError(issues.join('\n'));
  return toSettings(values, environment, production, explicit);
}

/** Name of a setting in {@link SettingValues}. */
function toPropertyName(name: SettingName): keyof SettingValues {
  const words = name.replace('SIGNING_', '').toLowerCase();
  return words.replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase()) as keyof SettingValues;
}

function describeUnknown(name: string): readonly string[] {
  if (Object.hasOwn(SETTINGS, name)) return [];
  const nearest = closest(name, SETTING_NAMES);
  const isNear = distance(name, nearest) <= name.length / 3;
  return [`${name} is not a setting of this service.${isNear ? ` Did you mean ${nearest}?` : ''}`];
}

/** Broken rules of the table: `requires`, `notInProduction`. */
function findConflicts(explicit: ExplicitSettings, production: boolean, isService: boolean): readonly string[] {
  const isSet = (name: SettingName) => !['off', 'false'].includes(explicit[name] ?? 'off');
  return SETTING_NAMES.filter(isSet).flatMap((name) => {
    const { requires = [], notInProduction } = SETTINGS[name];
    const unmet = requires.filter(
      ({ anyOf, byServiceAlone = false }) => !anyOf.some(isSet) && (isService || !byServiceAlone),
    );
    const issues = unmet.map(({ otherwise }) => `${name} ${otherwise}`);
    if (!production || notInProduction === undefined) return issues;
    return [...issues, `${name} is ${notInProduction} and rejected when NODE_ENV is production.`];
  });
}

/** Rules about several values, each valid by itself. */
const VALUE_RULES: readonly (readonly [isBroken: (values: SettingValues) => boolean, issue: string])[] = [
  [
    ({ adminPort, port }) => adminPort !== 0 && adminPort === port,
    'SIGNING_ADMIN_PORT is the same as SIGNING_PORT; use a different port for each listener.',
  ],
  [
    ({ auditFile, auditCheckpointFile: copy }) =>
      copy !== null && `${resolve(copy)}.`.startsWith(`${resolve(auditFile)}.`),
    'SIGNING_AUDIT_CHECKPOINT_FILE has a name of an audit file: use another folder or name.',
  ],
  [
    ({ vaultTokenFile, vaultKubernetesRole, vaultApproleRoleId }) =>
      [vaultTokenFile, vaultKubernetesRole, vaultApproleRoleId].filter((login) => login !== null).length > 1,
    'SIGNING_VAULT_TOKEN_FILE, SIGNING_VAULT_KUBERNETES_ROLE and SIGNING_VAULT_APPROLE_ROLE_ID exclude each other: keep one way to authenticate.',
  ],
  [
    ({ redisUrl, redisPasswordFile }) => redisPasswordFile !== null && redisUrl !== null && redisUrl.password !== '',
    'SIGNING_REDIS_PASSWORD_FILE is set, and SIGNING_REDIS_URL also has a password: remove one.',
  ],
];

/**
 * Path at which an orchestrator injects that secret, if it does: systemd in
 * `$CREDENTIALS_DIRECTORY` (`LoadCredential=master-key:…`), Docker and Kubernetes in /run/secrets.
 */
function findInjectedSecret(
  name: string | undefined,
  { CREDENTIALS_DIRECTORY: folder }: Environment,
  exists: (file: string) => boolean,
): string | undefined {
  if (name === undefined) return undefined;
  return [...(folder ? [folder] : []), '/run/secrets'].map((parent) => join(parent, name)).find(exists);
}

/**
 * Also true for dangling links and unreadable files: reading them reports the problem, which
 * falling back to another key would hide.
 */
function fileExists(file: string): boolean {
  try {
    lstatSync(file);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error));
  }
}

/** The values, and what follows from several of them or from other variables. */
function toSettings(values: SettingValues, environment: Environment, production: boolean, explicit: ExplicitSettings) {
  const { tlsCertFile: certFile, tlsKeyFile: keyFile, tlsClientCaFile: caFile } = values;
  const { tlsClientCertHeader: header, redisUrl, rateLimitWindowSeconds: windowSeconds } = values;
  const clients = caFile === null ? null : { caFile, fingerprintsFile: values.tlsClientFingerprintsFile };
  const tls = allOrNull({ certFile, keyFile });
  const toLimit = (points: number) => (points === 0 ? null : { points, windowSeconds });
  return {
    ...values,
    /** The admin listener; null: none. */
    admin: allOrNull({ host: values.adminHost, port: values.adminPort }),
    /** TLS files, and those that select client certificates; null: HTTP. */
    tls: tls && { ...tls, clients },
    /** Client certificates that trusted proxies forward; null: none. */
    forwardedCertificates: header === 'off' ? null : allOrNull({ header, proxies: values.trustedProxies, clients }),
    wrappingKeys: toWrappingKeys(values),
    auth: {
      mode: values.auth,
      authoritiesFile: values.authAuthoritiesFile,
      keyFile: values.authKeyFile,
      tokenFile: values.authTokenFile,
    },
    /** Null: no limit. */
    rateLimits: { perCaller: toLimit(values.rateLimitPerCaller), perAccount: toLimit(values.rateLimitPerAccount) },
    /** Null if replicas share nothing. A password is in the address or in the file. */
    redis: redisUrl && { address: redisUrl, passwordFile: values.redisPasswordFile },
    /** Null: no traces. May contain a password. The SDK reads the other `OTEL_…` variables. */
    traceEndpoint: findTraceEndpoint(environment),
    /** NODE_ENV is `production`; see `isProduction`. */
    production,
    shown: showSettings(values, explicit),
  };
}

/** How to reach services and tokens that wrap master keys. */
function toWrappingKeys(values: SettingValues): WrappingKeySettings {
  const { vaultKubernetesMount, vaultKubernetesRole: role, vaultKubernetesTokenFile: jwtFile } = values;
  const { vaultApproleMount, vaultApproleRoleId: roleId, vaultApproleSecretIdFile: secretIdFile } = values;
  const login =
    allOrNull({ tokenFile: values.vaultTokenFile }) ??
    allOrNull({ mount: vaultKubernetesMount, role, jwtFile }) ??
    allOrNull({ mount: vaultApproleMount, roleId, secretIdFile });
  const vault = allOrNull({ address: values.vaultAddress, login });
  return {
    timeoutMs: values.masterKeyTimeoutMs,
    caFile: values.masterKeyCaFile,
    vault: vault && { ...vault, namespace: values.vaultNamespace },
    gcp: { endpoint: values.gcpKmsEndpoint, tokenFile: values.gcpTokenFile },
    aws: {
      region: values.awsRegion,
      endpoint: values.awsKmsEndpoint,
      credentialsFile: values.awsCredentialsFile,
    },
    pkcs11: allOrNull({ module: values.pkcs11Module, token: values.pkcs11Token, pinFile: values.pkcs11PinFile }),
    helper: values.masterKeyHelper,
  };
}

/** The members, unless one is null: those of a feature that is not configured. */
function allOrNull<Members extends object>(members: Members) {
  type Configured = { readonly [Name in keyof Members]: NonNullable<Members[Name]> };
  return Object.values(members).includes(null) ? null : (members as Configured);
}

/** The settings in force by name, for the log. Masks the password of Redis, the only secret. */
function showSettings(values: SettingValues, explicit: ExplicitSettings) {
  const shown = SETTING_NAMES.flatMap((name) => {
    const value = values[toPropertyName(name)];
    return value === null ? [] : [[name, showValue(value)] as const];
  });
  return {
    explicit: Object.fromEntries(shown.filter(([name]) => name in explicit)),
    byDefault: Object.fromEntries(shown.filter(([name]) => !(name in explicit))),
  };
}

function showValue(value: NonNullable<SettingValues[keyof SettingValues]>): string | number | boolean {
  if (value instanceof NetworkList) return value.networks.join(',');
  return value instanceof RedisAddress ? value.shown : value;
}
