import { z } from 'zod';
import { IDENTIFIER_PATTERN } from '../domain/model/identifier.ts';
import { flag, networks, redisUrl, share, wholeNumber, zeroOrWholeNumber } from './setting-values.ts';

const HIGHEST_PORT = 65_535;
const KIB = 2 ** 10;
const MIB = 2 ** 20;
const TIB = 2 ** 40;
const MOST_POINTS = 1_000_000;

/** Settings by their environment variable, in the order of the README's table. */
export const settingSchema = z.object({
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
  SIGNING_TLS_CLIENT_CA_FILE: z.string().optional(),
  SIGNING_TLS_CLIENT_FINGERPRINTS_FILE: z.string().optional(),
  SIGNING_ALLOWED_NETWORKS: networks().optional(),
  SIGNING_TRUSTED_PROXIES: networks().optional(),
  SIGNING_ADMIN_HOST: z.string().default('127.0.0.1'),
  SIGNING_ADMIN_PORT: wholeNumber(0, HIGHEST_PORT).optional(),
  SIGNING_METRICS_ACCOUNTS: flag().default(false),
  SIGNING_RATE_LIMIT_PER_CALLER: wholeNumber(0, MOST_POINTS).default(0),
  SIGNING_RATE_LIMIT_PER_ACCOUNT: wholeNumber(0, MOST_POINTS).default(0),
  SIGNING_RATE_LIMIT_WINDOW_SECONDS: wholeNumber(1, 86_400).default(1),
  SIGNING_AUTH: z.enum(['off', 'optional', 'required'], 'off, optional or required').default('off'),
  SIGNING_AUTH_AUTHORITIES_FILE: z.string().default('config/auth-authorities.txt'),
  SIGNING_AUTH_KEY_FILE: z.string().optional(),
  SIGNING_AUTH_TOKEN_FILE: z.string().default('config/auth-token.txt'),
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
export const SETTING_NAMES: readonly string[] = Object.keys(settingSchema.shape);

/** What the variables say, defaults filled in. */
export type SettingValues = z.infer<typeof settingSchema>;
