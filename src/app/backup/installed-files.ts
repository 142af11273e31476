import { dirname, resolve } from 'node:path';
import type { BackupPart, LeftOutFile } from '../../adapters/cli/backup/manifest.ts';
import { listKeyFiles } from '../../adapters/credentials/validated-credentials.ts';
import { quoteForShell } from '../../adapters/files/file-permissions.ts';
import { pathExists } from '../../adapters/files/replace-file.ts';
import type { CredentialsContent } from '../../domain/configuration/credentials-schema.ts';
import { SETTING_NAMES, type SettingName } from '../settings/setting-table.ts';
import type { Settings } from '../settings/settings.ts';
import { NAMES } from './read-backup.ts';

type Copy = readonly [setting: SettingName, part: BackupPart, name: string, purpose: string];

/** Files that a backup has. Every other file of a setting is left out. */
const COPIES: readonly Copy[] = [
  ['SIGNING_CREDENTIALS_FILE', 'installation', NAMES.credentials, 'credentials file'],
  ['SIGNING_TLS_CLIENT_CA_FILE', 'installation', 'tls-client-ca.pem', 'authorities of client certificates'],
  [
    'SIGNING_TLS_CLIENT_FINGERPRINTS_FILE',
    'installation',
    'tls-client-fingerprints.txt',
    'allowed client certificates',
  ],
  ['SIGNING_MASTER_KEY_CA_FILE', 'installation', 'master-key-ca.pem', 'authorities of the key service'],
  ['SIGNING_AUTH_AUTHORITIES_FILE', 'installation', 'auth-authorities.txt', 'authorities of access tokens'],
  ['SIGNING_AUTH_TOKEN_FILE', 'installation', 'auth-token.txt', 'access token of the service'],
  ['SIGNING_MASTER_KEY_FILE', 'masterKey', NAMES.masterKey, 'master key file'],
  ['SIGNING_AUDIT_KEY_FILE', 'auditKey', NAMES.auditKey, 'audit key'],
];

const AUDIT_LOG = 'It is never restored: an older copy would use record numbers twice. Ship its lines and segments.';

/** Why a file is left out, and what to do. */
const REASONS: { readonly [Name in SettingName]?: string } = {
  SIGNING_MASTER_KEY_FILE: 'With the credentials it opens every key: it is saved apart, by --master-key.',
  SIGNING_AUDIT_KEY_FILE: 'It is saved apart, by --audit-key; `signing-service init` makes another.',
  // Anyone who has it can pose as the service.
  SIGNING_AUTH_KEY_FILE:
    'It signs responses: make another with `signing-service token issue --service --expires-in 365d --authority-key-file authority.key`, and give clients its public key.',
  SIGNING_AUDIT_FILE: AUDIT_LOG,
  SIGNING_AUDIT_CHECKPOINT_FILE: AUDIT_LOG,
};
const OTHER_REASON = 'It is a program, or belongs to a secret: get it, or another, where it came from.';

/** {@link COPIES} with their absolute paths by these settings; null: the setting has no value. */
export function listCopies(settings: Settings) {
  return COPIES.map(([setting, part, name, purpose]) => ({
    ...{ setting, part, name, purpose },
    path: findPath(settings, setting),
  }));
}

/** Files that are set or exist, except those at these paths; also those of accounts. */
export function listLeftOut(
  settings: Settings,
  { accounts }: CredentialsContent,
  saved: readonly { readonly path: string }[],
): LeftOutFile[] {
  const ofSettings = SETTING_NAMES.filter((name) => /_(FILE|MODULE|HELPER)$/.test(name)).flatMap((setting) => {
    const path = findPath(settings, setting);
    const isUsed = path !== null && (setting in settings.shown.explicit || pathExists(path));
    return isUsed ? [{ setting, path, reason: REASONS[setting] ?? OTHER_REASON }] : [];
  });
  const keyFiles = listKeyFiles(accounts, dirname(resolve(settings.credentialsFile)));
  const ofAccounts = keyFiles.map((path) => ({ setting: null, path, reason: OTHER_REASON }));
  return [...ofSettings, ...ofAccounts].filter(({ path }) => saved.every((file) => file.path !== path));
}

/** Explicit settings, without secrets, as lines of an environment file. */
export function formatSettings({ shown }: Pick<Settings, 'shown'>): readonly string[] {
  return Object.entries(shown.explicit).map(([name, value]) => `${name}=${quoteForShell(String(value))}`);
}

function findPath({ shown }: Settings, setting: SettingName): string | null {
  const value = shown.explicit[setting] ?? shown.byDefault[setting];
  return value === undefined ? null : resolve(String(value));
}
