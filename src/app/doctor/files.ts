import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { readCredentialsFile } from '../../adapters/credentials/credentials-file.ts';
import { checkDiskSpace, checkSeparateFolders } from '../../adapters/machine/disk-space.ts';
import { checkFileAccess } from '../../adapters/machine/file-access.ts';
import { type Finding, fail, ok, warning } from '../../adapters/machine/finding.ts';
import type { CredentialsContent } from '../../domain/configuration/credentials-schema.ts';
import type { Settings } from '../settings/settings.ts';
import { checkAuditFile, checkAuditKey, checkCheckpointFile } from './audit.ts';
import { checkPermissions } from './callers.ts';
import { listSecretFiles } from './guarded-files.ts';
import { checkMasterKeys, UNTIL_FIXED } from './master-keys.ts';
import { checkPolicies } from './policies.ts';
import { runChecks } from './run-checks.ts';

/** Issues of key and password files that are shown individually. */
const MAX_KEY_FILES = 5;

/** Disabled platforms that are named. */
const MAX_DISABLED = 5;

/** Checks the files that settings and credentials file name: existence, content, access rights. */
export async function checkFiles(settings: Settings): Promise<readonly Finding[]> {
  const { credentialsFile, masterKeyFile, auditFile, auditKeyFile, auditCheckpointFile } = settings;
  const access = listSecretFiles(settings).flatMap((file) => checkFileAccess(file));
  const failed = new Set(access.filter(({ state }) => state === 'fail').map(({ check }) => check));
  let content: CredentialsContent | null = null;
  const withContent = <Result>(check: (content: CredentialsContent) => Result) =>
    content === null ? [] : check(content);
  return runChecks([
    [
      'credentials',
      async () => {
        // checkFileAccess reports a missing file.
        if (!existsSync(credentialsFile)) return [];
        ({ content } = await readCredentialsFile(credentialsFile, { production: settings.production }));
        return checkPlaintextKeys(settings, content) ?? countEntries(content);
      },
      'Correct the file; none of it takes effect until then.',
    ],
    ['files', () => access],
    ['audit-file', () => checkAuditFile(auditFile)],
    // Files that are missing or open to others are reported already, and not read.
    [
      'audit-public-key',
      () => (failed.has('audit-key') ? [] : checkAuditKey(auditKeyFile)),
      'This key signs the checkpoints of the audit log.',
    ],
    ['sealed-accounts', () => (failed.has('master-key') ? [] : checkMasterKeys(masterKeyFile, content)), UNTIL_FIXED],
    ['permissions', () => withContent((valid) => checkPermissions(settings, valid))],
    [
      'policies',
      () => withContent(checkPolicies),
      'Until then, commands with presets and ready-made policies fail; the service does not read them.',
    ],
    ['key-files', () => withContent(({ accounts }) => checkKeyFiles(credentialsFile, accounts))],
    ['kept-apart', () => checkSeparateFolders(masterKeyFile, credentialsFile)],
    ['audit-room', () => checkDiskSpace('audit-room', auditFile)],
    ['audit-checkpoint-file', () => (auditCheckpointFile === null ? [] : checkCheckpointFile(auditCheckpointFile))],
  ]);
}

function countEntries({ accounts, platforms }: CredentialsContent): Finding {
  return ok('credentials', `accounts: ${accounts.length}, platforms: ${platforms.length}${formatDisabled(platforms)}`);
}

/** Platforms whose accounts sign nothing. */
function formatDisabled(platforms: CredentialsContent['platforms']): string {
  const disabled = platforms.filter(({ status }) => status === 'disabled').map(({ platformId }) => platformId);
  if (disabled.length === 0) return '';
  const more = disabled.length > MAX_DISABLED ? ` and ${disabled.length - MAX_DISABLED} more` : '';
  return `, of these disabled: ${disabled.slice(0, MAX_DISABLED).join(', ')}${more}`;
}

/** Depends on settings, so the loader rejects these keys, not the schema. */
function checkPlaintextKeys({ allowPlaintextKeys, production }: Settings, content: CredentialsContent): Finding | null {
  const count = content.accounts.filter(({ key }) => 'plaintext' in key).length;
  if (count === 0 || allowPlaintextKeys) return null;
  return fail(
    'credentials',
    `accounts with a plaintext key: ${count}; the service rejects them ${production ? 'in production' : 'unless SIGNING_ALLOW_PLAINTEXT_KEYS=true'}`,
    'Import the keys with `signing-service account add --key-file`.',
  );
}

/**
 * Checks only access: opening a keystore takes seconds, and a start reports what is in a file.
 * Kubernetes mounts secrets readable by all users of a container by default.
 */
function checkKeyFiles(credentialsFile: string, accounts: CredentialsContent['accounts']): readonly Finding[] {
  const folder = dirname(credentialsFile);
  const named = accounts.flatMap(({ key }) => {
    if (!('file' in key)) return [];
    return [['key-file', key.file], ...(key.passwordFile === undefined ? [] : [['password-file', key.passwordFile]])];
  });
  const files = new Map(named.map(([check = '', path = '']) => [resolve(folder, path), check]));
  const findings = [...files].flatMap(([file, check]) =>
    checkFileAccess({
      check,
      file,
      use: 'secret',
      whenShared: 'warning',
      whenMissing: {
        state: 'fail',
        message: `${file} does not exist`,
        remedy: 'Mount it, or correct its path in the credentials file.',
      },
    }),
  );
  // One line for all files without issues.
  const issues = findings.filter(({ state }) => state !== 'ok');
  const okCount = findings.length - issues.length;
  return [
    ...issues.slice(0, MAX_KEY_FILES),
    ...summarizeRest(issues.slice(MAX_KEY_FILES), findings.length),
    ...(okCount === 0
      ? []
      : [
          ok(
            'key-files',
            `${okCount} of ${findings.length} key and password files are accessible only to this user; none was opened`,
          ),
        ]),
  ];
}

/** The first are enough if hundreds share one cause, such as a volume that is not mounted. */
function summarizeRest(findings: readonly Finding[], total: number): readonly Finding[] {
  if (findings.length === 0) return [];
  const finding = findings.some(({ state }) => state === 'fail') ? fail : warning;
  const message = `${findings.length} more of ${total} key and password files have issues`;
  return [finding('key-files', message, 'Fix the listed ones, then run this again.')];
}
