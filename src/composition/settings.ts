import { hostname } from 'node:os';
import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { parseRedisUrl, type RedisAddress } from '../adapters/driven/usage-ledger/redis/redis-address.ts';
import { IDENTIFIER_PATTERN } from '../domain/model/identifier.ts';
import { handedOverFile, isThere } from './handed-over-file.ts';
import { isProduction } from './is-production.ts';
import { flag, redisUrl, share, wholeNumber, zeroOrWholeNumber } from './setting-values.ts';

/** The service can not start as it is configured. The message names each setting and what it should be. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

/** Environment variables, as `process.env` holds them. */
export type Environment = { readonly [name: string]: string | undefined };

const PREFIX = 'SIGNING_';
const HIGHEST_PORT = 65_535;
const KIB = 2 ** 10;
const MIB = 2 ** 20;
const TIB = 2 ** 40;

/** Settings by their environment variable, in the order of the README's table. */
const schema = z.object({
  SIGNING_HOST: z.string().default('127.0.0.1'),
  SIGNING_PORT: wholeNumber(0, HIGHEST_PORT).default(8080),
  SIGNING_CREDENTIALS_FILE: z.string().default('config/credentials.json'),
  SIGNING_MASTER_KEY_FILE: z.string().optional(),
  SIGNING_PREVIOUS_MASTER_KEY_FILE: z.string().optional(),
  SIGNING_AUDIT_FILE: z.string().default('var/audit/audit.jsonl'),
  SIGNING_AUDIT_KEY_FILE: z.string().optional(),
  SIGNING_AUDIT_TIMEOUT_MS: wholeNumber(100, 60_000).default(2000),
  SIGNING_AUDIT_ROTATE_BYTES: zeroOrWholeNumber(64 * KIB, TIB).default(256 * MIB),
  SIGNING_AUDIT_ROTATE_HOURS: wholeNumber(0, 8760).default(0),
  SIGNING_AUDIT_KEEP_FILES: wholeNumber(0, 100_000).default(0),
  SIGNING_LOG_LEVEL: z.enum(['error', 'warn', 'info'], 'one of error, warn, info').default('info'),
  SIGNING_RELOAD_MAX_REMOVED: share().optional(),
  SIGNING_MAX_BATCH: wholeNumber(1, 10_000).default(1000),
  SIGNING_MAX_IN_FLIGHT: wholeNumber(1, 100_000).default(2048),
  SIGNING_MAX_QUEUE: wholeNumber(1, 100_000).default(1024),
  SIGNING_DRAIN_DELAY_MS: wholeNumber(0, 60_000).default(1000),
  SIGNING_TLS_CERT_FILE: z.string().optional(),
  SIGNING_TLS_KEY_FILE: z.string().optional(),
  SIGNING_WATCH: flag().default(true),
  SIGNING_INSTANCE_ID: z
    .string()
    .regex(IDENTIFIER_PATTERN, '1 to 128 letters, digits and . _ : @ + -, beginning with a letter or digit')
    .optional(),
  SIGNING_REDIS_URL: redisUrl().optional(),
  SIGNING_REDIS_PASSWORD_FILE: z.string().optional(),
  SIGNING_MEMORY_LOCK: z.enum(['require', 'warn'], 'require or warn').default('require'),
  SIGNING_KEY_REFRESH_SECONDS: wholeNumber(1, 86_400).default(300),
  SIGNING_VERIFY_SIGNATURES: flag().default(false),
  SIGNING_ALLOW_PLAINTEXT_KEYS: flag().default(false),
  SIGNING_KEY_STORE_MODULE: z.string().optional(),
});

/** Names of all settings, in the order of the README's table. */
export const SETTING_NAMES: readonly string[] = Object.keys(schema.shape);

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
  /** PEM files for HTTPS; null for HTTP. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
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
}

/**
 * Reads and checks the settings. A variable that is set to the empty text counts as not set.
 * @param exists whether there is a file, for the places where an orchestrator puts keys
 * @throws SettingsError naming every setting that is wrong, and the nearest name for one that is unknown.
 */
export function readSettings(environment: Environment, exists: (file: string) => boolean = isThere): Settings {
  const given = Object.fromEntries(
    Object.entries(environment).filter(
      ([name, value]) => name.startsWith(PREFIX) && value !== undefined && value !== '',
    ),
  );
  const parsed = schema.safeParse(given);
  const faults = [
    ...Object.keys(given).flatMap(describeUnknown),
    ...(parsed.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} has to be ${message}.`),
    ...findConflicts(given, isProduction(environment)),
  ];
  if (parsed.data === undefined || faults.length > 0) throw new SettingsError(faults.join('\n'));
  return toSettings(parsed.data, environment, exists);
}

function toSettings(
  values: z.infer<typeof schema>,
  environment: Environment,
  exists: (file: string) => boolean,
): Settings {
  const certFile = values.SIGNING_TLS_CERT_FILE;
  const keyFile = values.SIGNING_TLS_KEY_FILE;
  const handedOver = (name: string) => handedOverFile(name, environment['CREDENTIALS_DIRECTORY'], exists);
  const masterKeyFile = values.SIGNING_MASTER_KEY_FILE ?? handedOver('master-key') ?? 'config/master.key';
  return {
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
    tls: certFile === undefined || keyFile === undefined ? null : { certFile, keyFile },
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
}

/** What is wrong between settings that are right by themselves, seen in the variables as they are set. */
function findConflicts(given: Environment, production: boolean): readonly string[] {
  const conflicts: string[] = [];
  const certFile = given['SIGNING_TLS_CERT_FILE'] !== undefined;
  const keyFile = given['SIGNING_TLS_KEY_FILE'] !== undefined;
  if (certFile !== keyFile) {
    const [set, missing] = certFile ? ['CERT', 'KEY'] : ['KEY', 'CERT'];
    conflicts.push(
      `SIGNING_TLS_${set}_FILE is set without SIGNING_TLS_${missing}_FILE; HTTPS needs both, HTTP neither.`,
    );
  }
  if (given['SIGNING_REDIS_PASSWORD_FILE'] !== undefined) {
    const url = given['SIGNING_REDIS_URL'];
    if (url === undefined) conflicts.push('SIGNING_REDIS_PASSWORD_FILE is set without SIGNING_REDIS_URL.');
    else if (parseRedisUrl(url)?.hasPassword) {
      conflicts.push('SIGNING_REDIS_PASSWORD_FILE is set, and SIGNING_REDIS_URL has a password, too: leave one out.');
    }
  }
  if (production && given['SIGNING_ALLOW_PLAINTEXT_KEYS'] === 'true') {
    conflicts.push('SIGNING_ALLOW_PLAINTEXT_KEYS is for development and refused when NODE_ENV is production.');
  }
  if (production && given['SIGNING_KEY_STORE_MODULE'] !== undefined) {
    conflicts.push('SIGNING_KEY_STORE_MODULE is for reviews and tests and refused when NODE_ENV is production.');
  }
  return conflicts;
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
