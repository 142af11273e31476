import type { ClientTrustFileNames } from '../../adapters/http/tls/client-trust-files.ts';
import type { GuardedFile } from '../../adapters/machine/file-access.ts';
import type { Settings } from '../settings/settings.ts';

/** Files of keys, passwords and accounts. */
export function listSecretFiles(settings: Settings): readonly GuardedFile[] {
  const { credentialsFile, masterKeyFile, auditKeyFile, redis, tls } = settings;
  const init = 'Run `signing-service init` to create it, or set';
  const files: GuardedFile[] = [
    {
      check: 'credentials-file',
      file: credentialsFile,
      use: 'secret',
      whenShared: 'warning',
      whenMissing: {
        state: 'fail',
        message: `${credentialsFile} does not exist`,
        remedy: `${init} SIGNING_CREDENTIALS_FILE to its path.`,
      },
    },
    {
      check: 'master-key',
      file: masterKeyFile,
      use: 'secret',
      whenShared: 'fail',
      whenMissing: {
        state: 'fail',
        message: `${masterKeyFile} does not exist`,
        remedy: `${init} SIGNING_MASTER_KEY_FILE to its path. A new one cannot open keys sealed under another.`,
      },
    },
    {
      check: 'audit-key',
      file: auditKeyFile,
      use: 'secret',
      whenShared: 'fail',
      whenMissing: {
        state: 'fail',
        message: `${auditKeyFile} does not exist`,
        remedy: `${init} SIGNING_AUDIT_KEY_FILE to its path.`,
      },
    },
  ];
  if (redis !== null && redis.passwordFile !== null) {
    const file = redis.passwordFile;
    // checkRedis reports whether it can be read.
    files.push({ check: 'redis-password-file', file, use: 'secret', whenShared: 'warning', whenMissing: null });
  }
  if (tls !== null)
    files.push({ check: 'tls-key-file', file: tls.keyFile, use: 'secret', whenShared: 'warning', whenMissing: null });
  return files;
}

/** The audit file, which auditors may read through its group. */
export function guardedAuditFile(file: string): GuardedFile {
  return {
    check: 'audit-file',
    file,
    whenShared: 'warning',
    use: 'shared',
    whenMissing: { state: 'ok', message: `${file} does not exist yet: the first start creates it`, remedy: null },
  };
}

/** The files of mutual authentication. Another check reports missing ones. */
export function listAuthenticationFiles({
  keyFile,
  authoritiesFile,
  tokenFile,
}: Settings['auth']): readonly GuardedFile[] {
  return [
    { check: 'auth-key', file: keyFile, use: 'secret', whenShared: 'fail', whenMissing: null },
    ...[authoritiesFile, tokenFile].map((file) => toPublicFile('auth-file', file)),
  ];
}

/** The files that name trusted client certificates. */
export function listClientTrustFiles({ caFile, fingerprintsFile }: ClientTrustFileNames): readonly GuardedFile[] {
  return [caFile, fingerprintsFile].flatMap((file) => (file === null ? [] : [toPublicFile('client-trust-file', file)]));
}

/** All files with restricted access, except key files that the credentials file names. */
export function listGuardedFiles(settings: Settings): readonly GuardedFile[] {
  const { auditFile, auth, tls, forwardedCertificates } = settings;
  const clients = tls?.clients ?? forwardedCertificates?.clients ?? null;
  return [
    ...listSecretFiles(settings),
    guardedAuditFile(auditFile),
    ...(auth.mode === 'off' ? [] : listAuthenticationFiles(auth)),
    ...(clients === null ? [] : listClientTrustFiles(clients)),
  ];
}

function toPublicFile(check: string, file: string): GuardedFile {
  return { check, file, use: 'trusted', whenShared: 'warning', whenMissing: null };
}
