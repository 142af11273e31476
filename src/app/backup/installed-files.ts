import { dirname, join, resolve } from 'node:path';
import { AuditKey } from '../../adapters/audit/audit-key.ts';
import { readRing } from '../../adapters/credentials/keyring/ring-file.ts';
import { listKeyFiles, listMissingKeys } from '../../adapters/credentials/validated-credentials.ts';
import { quoteForShell } from '../../adapters/files/file-permissions.ts';
import type { CredentialsContent } from '../../domain/configuration/credentials-schema.ts';
import type { BackupFolders, BackupKind, LeftOutFile } from '../../domain/model/backup.ts';
import { OperatorError } from '../../domain/model/errors.ts';
import type { SettingName } from '../settings/setting-table.ts';
import type { Settings } from '../settings/settings.ts';

/** A setting that is the path of a file. */
type FileSetting = Extract<SettingName, `${string}_${'FILE' | 'MODULE' | 'HELPER'}`>;

/** A file of the installation in a backup. */
interface FileInBackup {
  /** Of the backup that it is in. Default: installation. */
  readonly kind?: BackupKind;
  /** Absent: it is in none. */
  readonly copy?: { readonly name: string; readonly purpose: string };
  /** Why it is not in the backup of the installation, and what to do: a sentence. */
  readonly reason?: string;
}

const KEY_SERVICE = 'It opens the master key at a service or token: get another there.';
const PROGRAM = 'It is a program: install it again.';

const MASTER_KEY = 'master.key';
const AUDIT_KEY = 'audit.key';

/** Name of the credentials file in a backup. */
export const CREDENTIALS = 'credentials.json';

/** Name of the settings in a backup. */
export const SETTINGS_COPY = 'settings.env';

/** What a backup does with the file of each setting. */
const FILES: { readonly [Name in FileSetting]: FileInBackup } = {
  SIGNING_CREDENTIALS_FILE: { copy: { name: CREDENTIALS, purpose: 'credentials file' } },
  SIGNING_TLS_CLIENT_CA_FILE: { copy: { name: 'tls-client-ca.pem', purpose: 'authorities of client certificates' } },
  SIGNING_TLS_CLIENT_FINGERPRINTS_FILE: {
    copy: { name: 'tls-client-fingerprints.txt', purpose: 'allowed client certificates' },
  },
  SIGNING_MASTER_KEY_CA_FILE: { copy: { name: 'master-key-ca.pem', purpose: 'authorities of the key service' } },
  SIGNING_AUTH_AUTHORITIES_FILE: { copy: { name: 'auth-authorities.txt', purpose: 'authorities of access tokens' } },
  SIGNING_AUTH_TOKEN_FILE: { copy: { name: 'auth-token.txt', purpose: 'access token of the service' } },

  SIGNING_MASTER_KEY_FILE: {
    kind: 'masterKey',
    copy: { name: MASTER_KEY, purpose: 'master key file' },
    reason: 'With the credentials it opens every key: it is saved apart, by --master-key.',
  },
  SIGNING_AUDIT_KEY_FILE: {
    kind: 'auditKey',
    copy: { name: AUDIT_KEY, purpose: 'audit key' },
    reason: 'It signs audit records: it is saved apart, by --audit-key; `signing-service init` makes another.',
  },
  // Only clients would notice another one; whoever has it can pose as the service.
  SIGNING_AUTH_KEY_FILE: {
    reason:
      'It signs responses: make another with `signing-service token issue --service`, and give clients its public key.',
  },
  SIGNING_TLS_CERT_FILE: { reason: 'It belongs to a private key: renew both.' },
  SIGNING_TLS_KEY_FILE: { reason: 'It is a private key: renew it with its certificate.' },
  SIGNING_REDIS_PASSWORD_FILE: { reason: 'It is a password: get it from where Redis is configured.' },
  SIGNING_VAULT_TOKEN_FILE: { reason: KEY_SERVICE },
  SIGNING_VAULT_KUBERNETES_TOKEN_FILE: { reason: 'Kubernetes mounts it.' },
  SIGNING_VAULT_APPROLE_SECRET_ID_FILE: { reason: KEY_SERVICE },
  SIGNING_GCP_TOKEN_FILE: { reason: KEY_SERVICE },
  SIGNING_AWS_CREDENTIALS_FILE: { reason: KEY_SERVICE },
  SIGNING_PKCS11_PIN_FILE: { reason: KEY_SERVICE },
  SIGNING_PKCS11_MODULE: { reason: PROGRAM },
  SIGNING_MASTER_KEY_HELPER: { reason: PROGRAM },
  SIGNING_KEY_STORE_MODULE: { reason: PROGRAM },
  SIGNING_AUDIT_FILE: {
    reason:
      'Ship its lines and segments: an older copy would use record numbers twice. Usage and budgets are beside it.',
  },
  SIGNING_AUDIT_CHECKPOINT_FILE: { reason: 'It is a second place of audit checkpoints: it has to stay where it is.' },
};

/** {@link FileInBackup} with its place. */
interface InstalledFile extends FileInBackup {
  readonly setting: string;
  readonly kind: BackupKind;
  /** Absolute; null if the setting has no value. */
  readonly path: string | null;
  /** Whether the setting is in the environment. */
  readonly isExplicit: boolean;
}

/** The files of all settings. */
export function listInstalledFiles({ shown }: Pick<Settings, 'shown'>): readonly InstalledFile[] {
  return Object.entries(FILES).map(([setting, treatment]) => {
    const value = shown.explicit[setting] ?? shown.byDefault[setting];
    const path = value === undefined ? null : resolve(String(value));
    const isExplicit = shown.explicit[setting] !== undefined;
    return { setting, path, isExplicit, kind: 'installation', ...treatment };
  });
}

/** The given folders by kind, the installation first. */
export function listFolders(folders: BackupFolders): readonly (readonly [BackupKind, string])[] {
  return Object.entries(folders) as [BackupKind, string][];
}

/**
 * Checks saved private keys.
 * @throws OperatorError if one is none, or the master keys do not open these credentials
 */
export function checkPrivateKeys({ masterKey, auditKey }: BackupFolders, content: CredentialsContent): void {
  if (masterKey !== undefined) assertOpens(join(masterKey, MASTER_KEY), content);
  if (auditKey !== undefined) AuditKey.open(join(auditKey, AUDIT_KEY)).destroy();
}

/** A rotation with a retirement may have come between. */
function assertOpens(masterKeyFile: string, content: CredentialsContent): void {
  const [missing] = listMissingKeys(content, readRing(masterKeyFile));
  if (missing === undefined) return;
  throw new OperatorError(
    `${masterKeyFile} would lack master key ${missing.id}, under which keys are sealed (accounts: ${missing.accounts}). ` +
      'Nothing was written. After a rotation, run the command again; otherwise leave out --master-key.',
  );
}

/** Key and password files that accounts name. */
export function listAccountFiles(content: CredentialsContent, credentialsFile: string): readonly LeftOutFile[] {
  const reason = 'It is a key or password of an account: put a copy in place from where it is kept.';
  const files = listKeyFiles(content.accounts, dirname(resolve(credentialsFile)));
  return files.map((path) => ({ setting: null, path, reason }));
}

/** Explicit settings, without secrets, as lines of an environment file. */
export function formatSettings({ shown }: Pick<Settings, 'shown'>): readonly string[] {
  return Object.entries(shown.explicit).map(([name, value]) => `${name}=${quoteForShell(String(value))}`);
}
