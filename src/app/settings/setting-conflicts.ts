import { resolve } from 'node:path';
import { parseRedisUrl } from '../../adapters/redis/redis-address.ts';
import { SETTINGS, type SettingName } from './setting-table.ts';

/** Each is a way to authenticate. */
const VAULT_LOGINS = [
  'SIGNING_VAULT_TOKEN_FILE',
  'SIGNING_VAULT_KUBERNETES_ROLE',
  'SIGNING_VAULT_APPROLE_ROLE_ID',
] as const satisfies readonly SettingName[];

const PKCS11_SETTINGS = [
  'SIGNING_PKCS11_MODULE',
  'SIGNING_PKCS11_TOKEN',
  'SIGNING_PKCS11_PIN_FILE',
] as const satisfies readonly SettingName[];

/** The settings in the environment, as text. */
export type ExplicitSettings = { readonly [Name in SettingName]?: string };

/** Checks rules between settings that are valid by themselves. */
export function findConflicts(explicit: ExplicitSettings, production: boolean): readonly string[] {
  const has = (name: SettingName) => explicit[name] !== undefined;
  const isForwarding = (explicit.SIGNING_TLS_CLIENT_CERT_HEADER ?? 'off') !== 'off';
  const redisUrl = explicit.SIGNING_REDIS_URL;
  const adminPort = explicit.SIGNING_ADMIN_PORT;
  const auditFile = resolve(explicit.SIGNING_AUDIT_FILE ?? String(SETTINGS.SIGNING_AUDIT_FILE.default));
  const given = explicit.SIGNING_AUDIT_CHECKPOINT_FILE;
  const checkpointFile = given === undefined ? null : resolve(given);
  const rules: readonly (readonly [isBroken: boolean, issue: string])[] = [
    [
      has('SIGNING_TLS_CERT_FILE') && !has('SIGNING_TLS_KEY_FILE'),
      'SIGNING_TLS_CERT_FILE is set without SIGNING_TLS_KEY_FILE; HTTPS needs both, HTTP neither.',
    ],
    [
      has('SIGNING_TLS_KEY_FILE') && !has('SIGNING_TLS_CERT_FILE'),
      'SIGNING_TLS_KEY_FILE is set without SIGNING_TLS_CERT_FILE; HTTPS needs both, HTTP neither.',
    ],
    [
      has('SIGNING_TLS_CLIENT_CA_FILE') && !has('SIGNING_TLS_CERT_FILE') && !isForwarding,
      'SIGNING_TLS_CLIENT_CA_FILE is set without SIGNING_TLS_CERT_FILE; client certificates need HTTPS, or a proxy that forwards them (SIGNING_TLS_CLIENT_CERT_HEADER).',
    ],
    [
      has('SIGNING_TLS_CLIENT_FINGERPRINTS_FILE') && !has('SIGNING_TLS_CLIENT_CA_FILE'),
      'SIGNING_TLS_CLIENT_FINGERPRINTS_FILE is set without SIGNING_TLS_CLIENT_CA_FILE.',
    ],
    [
      isForwarding && !has('SIGNING_TRUSTED_PROXIES'),
      'SIGNING_TLS_CLIENT_CERT_HEADER is set without SIGNING_TRUSTED_PROXIES, so no proxy could forward a client certificate.',
    ],
    [
      isForwarding && !has('SIGNING_TLS_CLIENT_CA_FILE'),
      'SIGNING_TLS_CLIENT_CERT_HEADER is set without SIGNING_TLS_CLIENT_CA_FILE, whose authorities verify forwarded client certificates.',
    ],
    [
      checkpointFile === auditFile || checkpointFile?.startsWith(`${auditFile}.`) === true,
      'SIGNING_AUDIT_CHECKPOINT_FILE has a name of an audit file: use another folder or name.',
    ],
    [has('SIGNING_ADMIN_HOST') && !has('SIGNING_ADMIN_PORT'), 'SIGNING_ADMIN_HOST is set without SIGNING_ADMIN_PORT.'],
    [
      adminPort !== '0' && adminPort === (explicit.SIGNING_PORT ?? SETTINGS.SIGNING_PORT.default),
      'SIGNING_ADMIN_PORT is the same as SIGNING_PORT; use a different port for each listener.',
    ],
    [
      has('SIGNING_REDIS_PASSWORD_FILE') && redisUrl === undefined,
      'SIGNING_REDIS_PASSWORD_FILE is set without SIGNING_REDIS_URL.',
    ],
    [
      has('SIGNING_REDIS_PASSWORD_FILE') && (parseRedisUrl(redisUrl ?? '')?.password ?? '') !== '',
      'SIGNING_REDIS_PASSWORD_FILE is set, and SIGNING_REDIS_URL also has a password: remove one.',
    ],
    [
      has('SIGNING_VAULT_ADDRESS') && !VAULT_LOGINS.some(has),
      `SIGNING_VAULT_ADDRESS is set without ${VAULT_LOGINS.join(' or ')}; set one to authenticate.`,
    ],
    [
      VAULT_LOGINS.filter(has).length > 1,
      `${VAULT_LOGINS.filter(has).join(' and ')} are set: keep one way to authenticate.`,
    ],
    [
      has('SIGNING_VAULT_APPROLE_ROLE_ID') !== has('SIGNING_VAULT_APPROLE_SECRET_ID_FILE'),
      'SIGNING_VAULT_APPROLE_ROLE_ID and SIGNING_VAULT_APPROLE_SECRET_ID_FILE need each other; set both or neither.',
    ],
    ...(['SIGNING_VAULT_NAMESPACE', ...VAULT_LOGINS] as const).map(
      (name) => [has(name) && !has('SIGNING_VAULT_ADDRESS'), `${name} is set without SIGNING_VAULT_ADDRESS.`] as const,
    ),
    ...PKCS11_SETTINGS.map(
      (name) =>
        [
          !has(name) && PKCS11_SETTINGS.some(has),
          `${name} is missing; a PKCS #11 token needs ${PKCS11_SETTINGS.join(', ')}.`,
        ] as const,
    ),
    [
      has('SIGNING_RATE_LIMIT_WINDOW_SECONDS') &&
        !has('SIGNING_RATE_LIMIT_PER_CALLER') &&
        !has('SIGNING_RATE_LIMIT_PER_ACCOUNT'),
      'SIGNING_RATE_LIMIT_WINDOW_SECONDS is set without SIGNING_RATE_LIMIT_PER_CALLER or SIGNING_RATE_LIMIT_PER_ACCOUNT.',
    ],
    [
      production && explicit.SIGNING_ALLOW_PLAINTEXT_KEYS === 'true',
      'SIGNING_ALLOW_PLAINTEXT_KEYS is for development and rejected when NODE_ENV is production.',
    ],
    [
      production && has('SIGNING_KEY_STORE_MODULE'),
      'SIGNING_KEY_STORE_MODULE is for reviews and tests and rejected when NODE_ENV is production.',
    ],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, issue]) => issue);
}

const AUTH_FILES = ['SIGNING_AUTH_AUTHORITIES_FILE', 'SIGNING_AUTH_KEY_FILE', 'SIGNING_AUTH_TOKEN_FILE'] as const;

/**
 * Rules of the running service alone: `token` commands create these files while SIGNING_AUTH is
 * off.
 */
export function findServiceConflicts(explicit: ExplicitSettings): readonly string[] {
  if ((explicit.SIGNING_AUTH ?? 'off') !== 'off') return [];
  return AUTH_FILES.filter((name) => explicit[name] !== undefined).map(
    (name) =>
      `${name} is set while SIGNING_AUTH is off, so no caller would be authenticated: set SIGNING_AUTH to optional or required, or remove it.`,
  );
}
