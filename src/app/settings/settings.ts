import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { closest, distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { systemErrorCode } from '../../adapters/files/system-error-code.ts';
import { NetworkList } from '../../adapters/http/callers/network-list.ts';
import type { ClientTrustFileNames } from '../../adapters/http/tls/client-trust-files.ts';
import type { CertificateHeader } from '../../adapters/http/tls/forwarded-certificate.ts';
import type { TlsFileNames } from '../../adapters/http/tls/tls-files.ts';
import type { WrappingKeySettings } from '../../adapters/key-helper/helper-wrapping-keys.ts';
import { RedisAddress } from '../../adapters/redis/redis-address.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import type { RateLimit } from '../../ports/window-ledger.ts';
import { isProduction } from '../production.ts';
import { type ExplicitSettings, findConflicts, findServiceConflicts } from './setting-conflicts.ts';
import { SETTING_NAMES, SETTINGS, type SettingName, type SettingTable } from './setting-table.ts';
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

/** Name of a setting in code: `maxBatch` of SIGNING_MAX_BATCH. */
type PropertyName<Name extends string> = Name extends `SIGNING_${infer Rest}` ? CamelCase<Rest> : never;
type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;

/** Parsed values; null if unset without a default. */
type SettingValues = {
  readonly [Name in SettingName as PropertyName<Name>]:
    | z.output<SettingTable[Name]['value']>
    | (SettingTable[Name]['default'] extends null ? null : never);
};

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
  const values = Object.fromEntries(parsed.map(([name, { data }]) => [toPropertyName(name), data])) as SettingValues;
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

/** See {@link SettingValues}. */
function toPropertyName(name: SettingName): keyof SettingValues {
  const words = name.replace('SIGNING_', '').toLowerCase();
  return words.replace(/_(.)/g, (_match, letter: string) => letter.toUpperCase()) as keyof SettingValues;
}

/** The values, and what follows from several of them or from other variables. */
function toSettings(values: SettingValues, environment: Environment, production: boolean, shown: PublicSettings) {
  const { adminHost: host, adminPort: port, redisUrl: address, redisPasswordFile: passwordFile } = values;
  return {
    ...values,
    /** The admin listener; null: none. */
    admin: port === null ? null : { host, port },
    /** TLS files; null: HTTP. */
    tls: toTls(values),
    /** Client certificates that trusted proxies forward; null: none. */
    forwardedCertificates: toForwardedCertificates(values),
    networks: { allowed: values.allowedNetworks, trustedProxies: values.trustedProxies },
    /** How to reach services and tokens that wrap master keys. */
    wrappingKeys: toWrappingKeys(values),
    auth: {
      mode: values.auth,
      authoritiesFile: values.authAuthoritiesFile,
      keyFile: values.authKeyFile,
      tokenFile: values.authTokenFile,
    },
    /** Null: no limit. */
    rateLimits: {
      perCaller: toRateLimit(values.rateLimitPerCaller, values),
      perAccount: toRateLimit(values.rateLimitPerAccount, values),
    },
    /** Null if replicas share nothing. A password is in the address or in the file. */
    redis: address && { address, passwordFile },
    /** Null: no traces. May contain a password. The SDK reads the other `OTEL_…` variables. */
    traceEndpoint: findTraceEndpoint(environment),
    /** NODE_ENV is `production`; see `isProduction`. */
    production,
    /** By setting name, without secrets. */
    shown,
  };
}

function toTls(values: SettingValues): TlsSettings | null {
  const { tlsCertFile: certFile, tlsKeyFile: keyFile } = values;
  if (certFile === null || keyFile === null) return null;
  return { certFile, keyFile, clients: toClients(values) };
}

function toClients(values: SettingValues): ClientTrustFileNames | null {
  const { tlsClientCaFile: caFile, tlsClientFingerprintsFile: fingerprintsFile } = values;
  return caFile === null ? null : { caFile, fingerprintsFile };
}

function toForwardedCertificates(values: SettingValues): ForwardedCertificateSettings | null {
  const { tlsClientCertHeader: header, trustedProxies: proxies } = values;
  const clients = toClients(values);
  return header === 'off' || proxies === null || clients === null ? null : { header, proxies, clients };
}

function toWrappingKeys(values: SettingValues): WrappingKeySettings {
  return {
    timeoutMs: values.masterKeyTimeoutMs,
    caFile: values.masterKeyCaFile,
    vault: toVault(values),
    gcp: { endpoint: values.gcpKmsEndpoint.href, tokenFile: values.gcpTokenFile },
    aws: {
      region: values.awsRegion,
      endpoint: values.awsKmsEndpoint?.href ?? null,
      credentialsFile: values.awsCredentialsFile,
    },
    pkcs11: toPkcs11(values),
    helper: values.masterKeyHelper,
  };
}

/** Null unless all three are set, which setting-conflicts.ts requires. */
function toPkcs11(values: SettingValues): WrappingKeySettings['pkcs11'] {
  const { pkcs11Module: module, pkcs11Token: token, pkcs11PinFile: pinFile } = values;
  return module === null || token === null || pinFile === null ? null : { module, token, pinFile };
}

/**
 * Null without an address, or without a way to authenticate, which setting-conflicts.ts rejects.
 */
function toVault(values: SettingValues): WrappingKeySettings['vault'] {
  const { vaultAddress: address, vaultNamespace: namespace } = values;
  const login = toVaultLogin(values);
  return address === null || login === null ? null : { address: address.href, namespace, login };
}

function toVaultLogin(values: SettingValues): NonNullable<WrappingKeySettings['vault']>['login'] | null {
  const { vaultTokenFile: tokenFile, vaultKubernetesRole: role } = values;
  const { vaultApproleRoleId: roleId, vaultApproleSecretIdFile: secretIdFile } = values;
  if (tokenFile !== null) return { tokenFile };
  if (role !== null) {
    return { mount: values.vaultKubernetesMount, role, jwtFile: values.vaultKubernetesTokenFile };
  }
  if (roleId === null || secretIdFile === null) return null;
  return { mount: values.vaultApproleMount, roleId, secretIdFile };
}

function toRateLimit(points: number, values: SettingValues): RateLimit | null {
  return points === 0 ? null : { points, windowSeconds: values.rateLimitWindowSeconds };
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
    const value = values[toPropertyName(name)];
    return value === null ? [] : [[name, showValue(value)] as const];
  });
  return {
    explicit: Object.fromEntries(shown.filter(([name]) => explicit[name] !== undefined)),
    byDefault: Object.fromEntries(shown.filter(([name]) => explicit[name] === undefined)),
  };
}

function showValue(value: NonNullable<SettingValues[keyof SettingValues]>): string | number | boolean {
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
